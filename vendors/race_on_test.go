//go:build race

package vendors_test

const raceEnabled = true
