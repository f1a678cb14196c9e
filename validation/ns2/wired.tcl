# FTP over one wired duplex link; prints acknowledged segments.
set bw [lindex $argv 0]; set delay [lindex $argv 1]; set queue [lindex $argv 2]; set agent [lindex $argv 3]; set end [lindex $argv 4]; set window [lindex $argv 5]
set ns [new Simulator]
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b $bw $delay DropTail
$ns queue-limit $a $b $queue
$ns queue-limit $b $a $queue
set tcp [new Agent/TCP/$agent]
$tcp set packetSize_ 1460
$tcp set window_ $window
$tcp set tcpTick_ 0.01
$tcp set minrto_ 0.2
$tcp set windowInit_ 2
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp; $ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0 "$ftp start"
proc finish {} { global tcp; puts "[$tcp set ack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_]"; exit 0 }
$ns at $end finish
$ns run
