# The corners of the format: overrides on the way, stops, nodes in any order, equal times, a destination already reached.
$node_(3) set X_ 10
$node_(3) set Y_ 10
$node_(0) set X_ 100.0
$node_(0) set Y_ 100.0
$node_(0) set Z_ 0.0

$node_(1) set X_ 50
$node_(1) set Y_ 250
$node_(2) set X_ 300
$node_(2) set Y_ 20
$god_ set-dist 0 1 1
$ns_ at 10.0 "$node_(0) setdest 400.0 100.0 10.0"
$ns_ at 20.0 "$node_(0) setdest 100.0 200.0 10.0"
$ns_ at 15.0 "$god_ set-dist 0 1 2"
$ns_ at 40.0 "$node_(0) setdest 100.0 200.0 5.0"
$ns_ at 0.0 "$node_(1) setdest 1000 250 20"
$ns_ at 12.5 "$node_(1) setdest 1000 250 0.0"
$ns_ at 30.0 "$node_(1) setdest 60 40 15"
$ns_ at 5 "$node_(2) setdest 300 290 3"
$ns_ at 5 "$node_(2) setdest 10 20 7"
$ns_ at 25.125 "$node_(3) setdest 20 20 0.1"
$ns_ at 60 "$node_(3) setdest 1400 280 33.3"
$node_(4) set X_ 700
$node_(4) set Y_ 150
$ns at 7 "$node_(4) set X_ 500"
$ns_ at 40 "$node_(4) set Y_ 20.5"
