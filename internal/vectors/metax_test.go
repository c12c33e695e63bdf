package vectors

func metaxDeviations() []Deviation { return nil }
