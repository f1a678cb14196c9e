# Two nodes under ns-2's shadowing (exponent 2.7, 4 dB), 4000 datagrams of 100 bytes, each tried once. What arrives is counted in
# the trace; crates/sim/tests/channel.rs compares.
#
#   ns shadowing.tcl DISTANCE_M SEED TRACE && grep -c '^r.*AGT.*cbr' TRACE
set d [lindex $argv 0]; set seed [lindex $argv 1]; set tr [lindex $argv 2]
Propagation/Shadowing set pathlossExp_ 2.7
Propagation/Shadowing set std_db_ 4.0
Propagation/Shadowing set dist0_ 1.0
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set ShortRetryLimit_ 1
Mac/802_11 set LongRetryLimit_ 1
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
ns-random $seed
set ns [new Simulator]
set f [open $tr w]
$ns trace-all $f
set topo [new Topography]
$topo load_flatgrid 1000 1000
create-god 2
set prop [new Propagation/Shadowing]
$prop seed predef [expr $seed % 60 + 1]
$ns node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna -propInstance $prop -phyType Phy/WirelessPhy -channelType Channel/WirelessChannel -topoInstance $topo -agentTrace ON -routerTrace OFF -macTrace OFF
set a [$ns node]; set b [$ns node]
$a set X_ 10.0; $a set Y_ 10.0; $a set Z_ 0
$b set X_ [expr 10.0+$d]; $b set Y_ 10.0; $b set Z_ 0
set u [new Agent/UDP]; set n [new Agent/Null]
$ns attach-agent $a $u; $ns attach-agent $b $n
$ns connect $u $n
set c [new Application/Traffic/CBR]
$c set packetSize_ 100; $c set interval_ 0.02; $c set random_ 0
$c attach-agent $u
$ns at 1.0 "$c start"
$ns at 81.0 "$c stop"
$ns at 82.0 "exit 0"
$ns run
