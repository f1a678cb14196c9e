# Agent/TFRC over one wired link that loses packets, without its optional damping and discounting; prints packets sent.
set bw [lindex $argv 0]; set delay [lindex $argv 1]; set loss [lindex $argv 2]; set end [lindex $argv 3]; set seed [lindex $argv 4]
set ns [new Simulator]; ns-random $seed
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b $bw $delay DropTail
$ns queue-limit $a $b 1000
set em [new ErrorModel]; $em unit pkt; $em set rate_ $loss
set rv [new RandomVariable/Uniform]; $em ranvar $rv; $em drop-target [new Agent/Null]
$ns lossmodel $em $a $b
set tfrc [new Agent/TFRC]; set sink [new Agent/TFRCSink]
$tfrc set packetSize_ 1460; $sink set discount_ 0; $tfrc set ca_ 0
$ns attach-agent $a $tfrc; $ns attach-agent $b $sink; $ns connect $tfrc $sink
set app [new Application/Traffic/CBR]
$ns at 0 "$tfrc start"
proc finish {} { global tfrc end sink; puts "[$tfrc set ndatapack_]"; exit 0 }
$ns at $end finish
$ns run
