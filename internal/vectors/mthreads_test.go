package vectors

func mthreadsDeviations() []Deviation { return nil }
