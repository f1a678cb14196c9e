# network.tcl -- one network: who moves how, who routes how, who sends what to whom.
#   ns network.tcl movement=FILE nodes=N xmax=M ymax=M rt=AODV routes=FILE flows=FILE dur=S
# A line of `routes' is "node destination next" (rt=STATIC only); a line of `flows' is
# "tcp from to start" or "udp from to start bits-per-second bytes".
set here [file dirname [info script]]
source [file join $here common.tcl]

set opt(movement) ""
set opt(nodes)    2
set opt(xmax)     1500
set opt(ymax)     300
set opt(routes)   ""
set opt(flows)    ""
set opt(segsize)  1460
set opt(window)   64
parse-args

Agent/TCP set window_      $opt(window)
Agent/TCP set windowInit_  2
Agent/TCP set packetSize_  $opt(segsize)
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set syn_         true
Agent/TCP set maxburst_    3
Agent/TCP set singledup_   0
Agent/TCP set tcpTick_     0.01
Agent/TCP set minrto_      0.2
Agent/TCP set timestamps_  false
Agent/TCPSink set packetSize_ 40

proc lines-of {file} {
    if {$file == ""} { return {} }
    set f [open $file]
    set lines [split [string trim [read $f]] "\n"]
    close $f
    return $lines
}

make-network $opt(nodes) $opt(xmax) $opt(ymax)
source $opt(movement)
foreach line [lines-of $opt(routes)] {
    foreach {node dst next} $line break
    static-route $node_($node) $node_($dst) $node_($next)
}

set transfers {}
set monitors {}
foreach line [lines-of $opt(flows)] {
    foreach {kind from to start rate bytes} $line break
    if {$kind == "tcp"} {
        set source [new Agent/TCP/Newreno]
        set sink [new Agent/TCPSink]
        set app [new Application/FTP]
        lappend transfers $source
    } else {
        set source [new Agent/UDP]
        $source set packetSize_ $bytes
        set sink [new Agent/LossMonitor]
        set app [new Application/Traffic/CBR]
        $app set packetSize_ $bytes
        $app set rate_ $rate
        $app set random_ 1
        lappend monitors $sink
    }
    $ns_ attach-agent $node_($from) $source
    $ns_ attach-agent $node_($to) $sink
    $ns_ connect $source $sink
    static-agent $source $node_($from) $node_($to)
    if {$kind == "tcp"} { static-agent $sink $node_($to) $node_($from) }
    $app attach-agent $source
    $ns_ at $start "$app start"
}

proc finish {} {
    global opt transfers monitors ns_ tracefd_
    set bytes 0
    foreach transfer $transfers {
        # sequence number 0 is the SYN
        set acknowledged [$transfer set ack_]
        if {$acknowledged > 0} { incr bytes [expr $acknowledged*$opt(segsize)] }
    }
    foreach monitor $monitors { incr bytes [$monitor set bytes_] }
    out bytes $bytes
    out-rss
    $ns_ flush-trace
    close $tracefd_
    exit 0
}
$ns_ at $opt(dur) finish
$ns_ run
