# What one-hop-aodv.tr (and, with new=1, one-hop-aodv.new.tr) was made with: TCP over AODV and ARP, every layer traced.
# The files hold the first 42 lines.
#   ns one-hop-aodv.tcl hops=1 seed=57 dur=0.5 trace=one-hop-aodv.tr
set here [file join [file dirname [info script]] .. .. .. .. validation ns2]
source $here/common.tcl
set opt(hops) 2
set opt(new) 0
set opt(router) ON
set opt(agent) ON
set opt(mac) ON
set opt(udp) 0
parse-args
Agent/TCP set window_ 64; Agent/TCP set windowInit_ 2; Agent/TCP set packetSize_ 1460
Agent/TCP set tcpip_base_hdr_size_ 40; Agent/TCP set syn_ true; Agent/TCP set maxburst_ 3
Agent/TCP set tcpTick_ 0.01; Agent/TCP set minrto_ 0.2; Agent/TCP set maxrto_ 60; Agent/TCP set timestamps_ false
Agent/TCP set overhead_ 0
Agent/TCPSink set packetSize_ 40
set n [expr $opt(hops)+1]
set-radio
set ns_ [new Simulator]
$defaultRNG seed $opt(seed)
if {$opt(new)} { $ns_ use-newtrace }
set tracefd_ [open $opt(trace) w]
$ns_ trace-all $tracefd_
set topo_ [new Topography]
$topo_ load_flatgrid [expr $opt(hops)*$opt(spacing)+100] 100
set god_ [create-god $n]
set chan_ [new Channel/WirelessChannel]
$ns_ node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen $opt(ifqlen) -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel $chan_ -topoInstance $topo_ -agentTrace $opt(agent) -routerTrace $opt(router) -macTrace $opt(mac) -movementTrace OFF
for {set i 0} {$i < $n} {incr i} { set node_($i) [$ns_ node]; $node_($i) random-motion 0; place $i [expr 10+$i*$opt(spacing)] 50 }
if {$opt(udp)} {
 set a [new Agent/UDP]; set s [new Agent/Null]
 $ns_ attach-agent $node_(0) $a; $ns_ attach-agent $node_($opt(hops)) $s; $ns_ connect $a $s
 set c [new Application/Traffic/CBR]; $c set packetSize_ 512; $c set interval_ 0.02; $c attach-agent $a
 $ns_ at 1.0 "$c start"
} else {
 set tcp [new Agent/TCP/Newreno]; set s [new Agent/TCPSink]
 $ns_ attach-agent $node_(0) $tcp; $ns_ attach-agent $node_($opt(hops)) $s; $ns_ connect $tcp $s
 set f [new Application/FTP]; $f attach-agent $tcp
 $ns_ at 1.0 "$f start"
}
$ns_ at [expr 1.0+$opt(dur)] { for {set i 0} {$i < $n} {incr i} { $node_($i) reset }; $ns_ flush-trace; close $tracefd_; exit 0 }
$ns_ run
