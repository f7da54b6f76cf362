module simulators

go 1.25
