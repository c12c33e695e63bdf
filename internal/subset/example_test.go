package subset_test

import (
	"fmt"

	"github.com/accelfit/accelfit/internal/subset"
)

// Six cards, linked in two groups of three; a slow link joins the groups.
func ExampleBest() {
	p := subset.Problem{N: 6, K: 3, Weight: func(i, j int) int64 {
		if i%2 == j%2 {
			return 600
		}
		return 20
	}}
	r := subset.Best(p)
	fmt.Println(r.Choice, r.Total, r.Exact)

	p.Accept = func(choice []int) bool { return choice[0] != 0 }
	r = subset.Best(p)
	fmt.Println(r.Choice, r.Total, r.Exact)
	// Output:
	// [0 2 4] 1800 true
	// [1 3 5] 1800 true
}
