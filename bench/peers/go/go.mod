module heddle.dev/bench/peers

go 1.24
