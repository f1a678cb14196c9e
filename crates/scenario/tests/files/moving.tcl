$node_(0) set X_ 10.0
$node_(0) set Y_ 10.0
$node_(1) set X_ 200.0
$node_(1) set Y_ 10.0
$node_(2) set X_ 300.0
$node_(2) set Y_ 10.0
$node_(3) set X_ 20.0
$node_(3) set Y_ 30.0
$node_(4) set X_ 20.0
$node_(4) set Y_ 40.0
$ns_ at 5.0 "$node_(4) setdest 100.0 10.0 10.0"
