package simulate

import "math"

// ranking keeps numbered nodes by how well they serve, as the bracket of a tournament: the best is known at once, a change is
// played up to the top. Of equal ones the lowest number is the best. The zero value is empty. Cost: O(log n) for a change;
// 12 bytes for each number, rounded up to a power of two.
type ranking struct {
	marks   []float32 // of each number; absent: does not serve
	winners []int32   // winners[1] is the best; winners[k] wins over 2k and 2k+1, behind which are the numbers themselves
}

const (
	absent = -math.MaxFloat32 // no score is as low
	nobody = -1
)

// grow makes room for numbers below n. New ones do not serve.
func (r *ranking) grow(n int) {
	size := len(r.marks)
	if n <= size {
		return
	}
	for size = max(size, 1); size < n; size *= 2 {
	}
	old := r.marks
	r.marks, r.winners = make([]float32, size), make([]int32, size)
	copy(r.marks, old)
	for i := len(old); i < size; i++ {
		r.marks[i] = absent
	}
	for k := size - 1; k > 0; k-- {
		r.play(k)
	}
}

// set gives a number a mark, or takes it out with absent.
func (r *ranking) set(i int, mark float32) {
	if r.marks[i] == mark {
		return
	}
	r.marks[i] = mark
	for k := (i + len(r.marks)) / 2; k > 0; k /= 2 {
		r.play(k)
	}
}

func (r *ranking) play(k int) {
	a, b := r.winner(2*k), r.winner(2*k+1)
	if r.marks[b] > r.marks[a] {
		a = b
	}
	r.winners[k] = a
}

// winner of a place in the bracket; the places of the numbers lie behind those of the matches.
func (r *ranking) winner(k int) int32 {
	if k >= len(r.marks) {
		return int32(k - len(r.marks))
	}
	return r.winners[k]
}

// best returns the best number, or nobody.
func (r *ranking) best() int {
	if len(r.marks) == 0 {
		return nobody
	}
	if i := r.winner(1); r.marks[i] != absent {
		return int(i)
	}
	return nobody
}

// first returns the best number that will do, or nobody. Whoever is asked is asked once.
func (r *ranking) first(will func(i int) bool) int {
	type out struct {
		number int
		mark   float32
	}
	var passed []out
	found := nobody
	for i := r.best(); i != nobody; i = r.best() {
		if will(i) {
			found = i
			break
		}
		passed = append(passed, out{i, r.marks[i]})
		r.set(i, absent)
	}
	for _, p := range passed {
		r.set(p.number, p.mark)
	}
	return found
}
