# energy.tcl -- what the radios of a string of nodes take under datagrams.
#   ns energy.tcl hops=3 interval=0.1 rts=0 powers=1.6,1.2,1.15
# One datagram each `interval' seconds from opt(warm) to the end at opt(warm)+opt(dur), without jitter.
set here [file dirname [info script]]
source [file join $here common.tcl]

set opt(rt)       STATIC
set opt(hops)     1
set opt(payload)  1000       ;# UDP payload, bytes
set opt(interval) 0.1        ;# s
set opt(powers)   1.6,1.2,1.15
parse-args

set n [expr $opt(hops)+1]
make-network $n [expr $opt(hops)*$opt(spacing)+100] 100
for {set i 0} {$i < $n} {incr i} { place $i [expr 10+$i*$opt(spacing)] 50 }
static-string $n

set udp [new Agent/UDP]
set size [expr $opt(payload)+28]
$udp set packetSize_ $size
set sink [new Agent/LossMonitor]
$ns_ attach-agent $node_(0) $udp
$ns_ attach-agent $node_($opt(hops)) $sink
$ns_ connect $udp $sink
static-agent $udp $node_(0) $node_($opt(hops))
set cbr [new Application/Traffic/CBR]
$cbr attach-agent $udp
$cbr set packetSize_ $size
$cbr set interval_ $opt(interval)
$cbr set random_ 0
$ns_ at $opt(warm) "$cbr start"

proc finish {} {
    global opt n node_ sink ns_ tracefd_
    out packets [$sink set npkts_]
    for {set i 0} {$i < $n} {incr i} {
        # A radio is charged when a frame comes; switched off, also for the time since the last one.
        [$node_($i) set netif_(0)] NodeOff
        out node_${i}_j [format %.6f [expr 1e6-[$node_($i) energy]]]
    }
    $ns_ flush-trace
    close $tracefd_
    exit 0
}
$ns_ at [expr $opt(warm)+$opt(dur)] finish
$ns_ run
