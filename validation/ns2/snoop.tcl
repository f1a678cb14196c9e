# FTP over a wired link and a lossy last hop, whose base station has ns-2's Snoop (LL/LLSnoop) or not (LL); prints
# acknowledged segments, retransmissions and time-outs of the sender.
#
#   ns snoop.tcl LL/LLSnoop 0.02 200 1 [WINDOW]
#
# The last hop is a LAN of two nodes with ns-2's plain Mac: it has no collisions, sends both ways at once, and delivers a
# packet when it begins to be sent, though the next one waits until it has been. Its LL delays a packet at each end, what
# comes to the base station after Snoop has seen it.
# Data that come to the mobile host are lost, each packet with the same probability; acknowledgements are not.
set ll [lindex $argv 0]; set loss [lindex $argv 1]; set end [lindex $argv 2]; set seed [lindex $argv 3]
set window [expr {$argc > 4 ? [lindex $argv 4] : 32}]
global defaultRNG
$defaultRNG seed $seed
Mac set bandwidth_ [expr 2e6 * (1500 + 64) / 1500] ;# its header takes 64 bytes more: a full packet takes 6 ms
LanRouter set debug_ 0
Queue set limit_ 50
set ns [new Simulator]
set fixed [$ns node]; set base [$ns node]; set mobile [$ns node]
$ns duplex-link $fixed $base 10Mb 20ms DropTail
set lan [$ns make-lan [list $mobile] 2Mb 5ms LL Queue/DropTail Mac Channel]
$lan addNode [list $base] 2Mb 5ms $ll Queue/DropTail Mac
set mac [[$lan set lanIface_($mobile)] set mac_]
if {$loss > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ $loss
    $errors ranvar [new RandomVariable/Uniform]
    $errors drop-target [new Agent/Null]
    $errors target [$mac up-target]
    $mac up-target $errors
}
set tcp [new Agent/TCP/Reno]
$tcp set packetSize_ 1460
$tcp set window_ $window
$tcp set tcpTick_ 0.01
$tcp set minrto_ 0.2
$tcp set windowInit_ 2
set sink [new Agent/TCPSink]
$ns attach-agent $fixed $tcp; $ns attach-agent $mobile $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0 "$ftp start"
proc finish {} { global tcp; puts "[$tcp set ack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_]"; exit 0 }
$ns at $end finish
$ns run
