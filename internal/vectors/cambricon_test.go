package vectors

func cambriconDeviations() []Deviation { return nil }
