# Sends of one ns-2.35 TCP over a lossy bottleneck:  ns ns2.tcl AGENT DELACK > ns2-NAME.txt
# AGENT is "" (Tahoe), /Reno, /Newreno, /Sack1 or /Vegas; DELACK is 0 or 1.
#
# n0 --- n1 ---(bottleneck, losses)--- n2, and the way back with losses of its own. Parameters not set here are
# ns-2's defaults; those set are the ones of `Params::default`. Lines: "boot" and the phase of the sender's
# clock tick; then time in microseconds and packet number (0 is the SYN) of every send; then the counters.
set agent  [lindex $argv 0]
set delack [lindex $argv 1]
set ns [new Simulator]

Agent/TCP set window_ 64
Agent/TCP set windowInit_ 2
Agent/TCP set packetSize_ 1460
Agent/TCP set maxburst_ 3
Agent/TCP set singledup_ 0
Agent/TCP set maxrto_ 60
Agent/TCPSink set packetSize_ 40

set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n1 50Mb 1.13ms DropTail
$ns queue-limit $n0 $n1 1000
$ns queue-limit $n1 $n0 1000
$ns duplex-link $n1 $n2 0.8Mb 23.57ms DropTail
$ns queue-limit $n1 $n2 12
$ns queue-limit $n2 $n1 1000

# Packets that the bottleneck loses before its queue, counted from zero in each direction.
set forward {40 41 43 90 150 151 152 153 154 300 301 350 352 354 356 480 600 601 602 603 604 605 606 607 608 609
    800 850 851 900 1000 1003 1200 1201 1202 1300 1302}
set back {30 31 32 60 110 111 112 113 200 201 202 203 204 205 206 207 208 209 210 211 212 400 402 404 500 600 700}
foreach {from to list} [list $n1 $n2 $forward $n2 $n1 $back] {
    set em [new ErrorModel/List]
    $em unit pkt
    $em droplist $list
    $em drop-target [new Agent/Null]
    $ns lossmodel $em $from $to
}

$defaultRNG seed 1
# The agent draws its phase at each of two resets, Vegas at each of three: the last number is the one it keeps.
for {set i 0} {$i < ($agent eq "/Vegas" ? 3 : 2)} {incr i} { set boot [$defaultRNG uniform 0 0.01] }
$defaultRNG seed 1
set tcp [new Agent/TCP$agent]
set sacks [expr {$agent eq "/Sack1" ? "/Sack1" : ""}]
set sink [new Agent/TCPSink$sacks[expr {$delack ? "/DelAck" : ""}]]
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

set trace [open "|awk {\$1==\"+\" {printf \"%d %d\\n\", \$2 * 1000000 + 0.5, \$11}}" w]
$ns trace-queue $n0 $n1 $trace
puts "boot $boot"
flush stdout
$ns at 1.0 "$ftp start"
$ns at 26.0 finish
proc finish {} {
    global ns tcp trace
    $ns flush-trace
    close $trace
    puts "end acked [$tcp set ack_] timeouts [$tcp set nrexmit_] retransmissions [$tcp set nrexmitpack_] sent [$tcp set ndatapack_] cwnd [$tcp set cwnd_] ssthresh [$tcp set ssthresh_]"
    exit 0
}
$ns run
