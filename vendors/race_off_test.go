//go:build !race

package vendors_test

const raceEnabled = false
