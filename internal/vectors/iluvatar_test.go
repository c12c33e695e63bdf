package vectors

func iluvatarDeviations() []Deviation { return nil }
