# A bottleneck of 500 kb/s between two hosts, a queue of 8 packets: what ns-2 writes of one TCP and of every packet.
set ns [new Simulator]
set all [open standard.tr w]
$ns trace-all $all
set vars [open variables.tr w]
set a [$ns node]
set b [$ns node]
set c [$ns node]
$ns duplex-link $a $b 10Mb 2ms DropTail
$ns duplex-link $b $c 500kb 30ms DropTail
$ns queue-limit $b $c 8
Agent/TCP set tcpTick_ 0.01
set tcp [new Agent/TCP/Newreno]
$tcp set window_ 40
$tcp attach $vars
foreach name {rtt_ t_seqno_ maxseq_ ndatapack_ ndatabytes_ nrexmitpack_ nrexmitbytes_ cwnd_ srtt_} { $tcp tracevar $name }
set sink [new Agent/TCPSink]
$ns attach-agent $a $tcp
$ns attach-agent $c $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.5 "$ftp start"
$ns at 8 "close $all; close $vars; exit 0"
$ns run
