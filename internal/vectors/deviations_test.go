package vectors

func deviations() []Deviation { return nil }
