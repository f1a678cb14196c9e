# Where ns-2 says the nodes of a movement file are, as CSV: time_s,node,x_m,y_m.
# Usage: ns sample.tcl MOVEMENTS NODES MOVEMENTS.csv
# Made with ns-2.35; the tables beside this script are its output.
set file [lindex $argv 0]
set count [lindex $argv 1]
set out [open [lindex $argv 2] w]

set ns [set ns_ [new Simulator]]
set topo [new Topography]
$topo load_flatgrid 2000 2000
set channel [new Channel/WirelessChannel]
$topo channel $channel    ;# a moving node tells its channel
set god_ [create-god $count]
for {set i 0} {$i < $count} {incr i} {
    set node_($i) [new Node/MobileNode]
    $node_($i) random-motion 0
    $node_($i) topography $topo
    $channel add-node $node_($i)
}
source $file

# A node's X_ and Y_ are as old as its last update; log-movement updates them first.
proc sample {} {
    global ns_ node_ count out
    for {set i 0} {$i < $count} {incr i} {
        $node_($i) log-movement
        puts $out "[$ns_ now],$i,[$node_($i) set X_],[$node_($i) set Y_]"
    }
}
puts $out "time_s,node,x_m,y_m"
foreach t {0 0.5 7.25 12.5 19.999 33.3 41 64 100.1 250 333.333 500 750.75 899} {
    $ns_ at $t sample
}
$ns_ at 900 "close $out; exit 0"
$ns_ run
