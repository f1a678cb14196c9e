# queue.tcl -- how many packets ns-2's interface queue holds, with and without a
# message of routing.
#   ns queue.tcl ifqlen=50 data=100            so many datagrams at one instant, over AODV
#   ns queue.tcl ifqlen=50 data=12000 gap=0.001 request=1
#                                              a datagram each millisecond, eight times as many as can be sent, and
#                                              floods of AODV meanwhile, which node 1 passes on
# Node 1 sends to node 2, from 5 s on.  Node 0 asks for a node that is not there.
# Printed: what arrived and what was lost; how often a message of routing came to
# node 1's queue while datagrams came, and how often that dropped something at once.
set here [file dirname [info script]]
source [file join $here common.tcl]

set opt(data)    100       ;# datagrams
set opt(gap)     0.0       ;# between them, s; 0: all at one instant
set opt(request) 0         ;# 1: node 0 seeks a route while they wait
set opt(routertrace) 1
set opt(trace)    queue.tr
parse-args

make-network 4 2000 100
place 0 10 50
place 1 210 50
place 2 410 50
place 3 1500 50

proc datagrams {from to} {
    global ns_ node_
    set udp [new Agent/UDP]
    $udp set packetSize_ 1480
    set sink [new Agent/LossMonitor]
    $ns_ attach-agent $node_($from) $udp
    $ns_ attach-agent $node_($to) $sink
    $ns_ connect $udp $sink
    return [list $udp $sink]
}

foreach {udp sink} [datagrams 1 2] break
foreach {seeker lost} [datagrams 0 3] break

# One datagram makes node 1 find the way; all others leave when that is long done.
$ns_ at 1.0 "$udp send 1480"
for {set i 0} {$i < $opt(data)} {incr i} { $ns_ at [expr 5.0+$i*$opt(gap)] "$udp send 1480" }
if {$opt(request)} { $ns_ at 5.2 "$seeker send 1480" }

proc finish {} {
    global ns_ opt sink tracefd_
    $ns_ flush-trace
    close $tracefd_
    set arrived [expr [$sink set npkts_]-1]
    set messages 0; set dropped 0; set drops {}; set times {}
    set file [open $opt(trace)]
    if {$opt(trace) == "queue.tr"} { file delete queue.tr }
    while {[gets $file line] >= 0} {
        foreach {what time node layer} $line break
        if {$node != "_1_" || $time < 5.0 || $time > 5.0+$opt(data)*$opt(gap)} continue
        if {$layer == "IFQ" && $what == "D"} { lappend drops $time }
        if {$layer == "RTR" && $what != "r" && [regexp AODV $line]} { lappend times $time }
    }
    foreach time $times {
        incr messages
        foreach drop $drops { if {abs($drop-$time) < 0.00003} { incr dropped; break } }
    }
    out sent $opt(data) arrived $arrived lost [expr $opt(data)-$arrived] messages $messages dropped_for_them $dropped
    exit 0
}
$ns_ at 20.0 finish
$ns_ run
