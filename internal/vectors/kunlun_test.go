package vectors

func kunlunDeviations() []Deviation { return nil }
