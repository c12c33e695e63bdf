package subset

import (
	"reflect"
	"testing"
)

// FuzzBest reads a small Problem from bytes: the sizes, then a card for each
// candidate, then the weights of the pairs. Missing bytes count as zero.
func FuzzBest(f *testing.F) {
	f.Add(byte(4), byte(2), byte(0), []byte{0, 1, 2, 3, 200, 5, 100, 7, 9, 1})
	f.Add(byte(6), byte(3), byte(1), []byte{0, 0, 1, 1, 2, 2, 20, 20, 20, 20})
	f.Add(byte(7), byte(4), byte(3), []byte{0, 1, 0, 1, 0, 1, 0})
	f.Fuzz(func(t *testing.T, n, k, refuse byte, data []byte) {
		p := decode(int(n%11), int(k%12), int(refuse), data)
		got, want := Best(p), naive(p)
		got.Visited = 0
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// decode makes a Problem whose Accept refuses, unless refuse is zero, the
// choices with a sum of positions divisible by it.
func decode(n, k, refuse int, data []byte) Problem {
	next := func() int64 {
		if len(data) == 0 {
			return 0
		}
		b := int8(data[0])
		data = data[1:]
		return int64(b)
	}
	p := Problem{N: n, K: k, Card: make([]int, n)}
	for i := range p.Card {
		p.Card[i] = int(next())
	}
	p.Weight = table(n, next)
	if refuse > 0 {
		p.Accept = func(choice []int) bool {
			total := 0
			for _, i := range choice {
				total += i
			}
			return total%refuse != 0
		}
	}
	return p
}
