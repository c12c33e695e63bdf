// Package subset finds the best k of n linked devices: the choice of exactly k
// candidates whose pair weights have the highest sum.
//
// The answer is exact. Candidates have a fixed visiting order, their position
// 0..n-1; among choices of equal total the lexicographically first by position
// is the answer. A bound on the partial sets examined keeps the worst case
// short; beyond it the answer is a documented greedy choice.
//
// # Method
//
// The search is depth first over partial sets. A partial set is given up once
// an upper bound shows that no completion comes before the best choice held,
// where "before" means a higher total, or the same total and an earlier
// choice. Because the order of choices is part of the comparison, the branching
// order is free: the search takes the most promising candidate first.
//
// The bound charges every candidate with its links to the chosen ones and half
// of its heaviest links among the free ones. The same figures show which free
// candidates can no longer be part of a better choice and which must be. Cards
// that can be exchanged without changing any weight are taken in order.
package subset

// Limits of a Problem.
const (
	// MaxN is the largest number of candidates. A larger Problem is not
	// searched: neither Found nor Exact is set.
	MaxN = 1024

	// MaxWeight limits the size of a weight. A weight outside
	// [-MaxWeight, MaxWeight] counts as the nearer end, so that no sum of
	// weights overflows.
	MaxWeight = 1 << 40

	// DefaultLimit is the Limit used when a Problem states none. Bounding one
	// partial set costs up to n*n steps, therefore above 24 candidates the
	// default shrinks with n*n, see defaultWork.
	DefaultLimit = 2_000_000

	// defaultWork is the number of elementary steps a search without a stated
	// Limit may take: one to two seconds.
	defaultWork = 1_200_000_000
)

// Problem asks for the best K of the candidates 0..N-1.
type Problem struct {
	// N is the number of candidates, K the number to choose.
	N, K int

	// Weight returns the value of choosing both i and j. It is called once for
	// every pair, always with i < j. Weights may be zero or negative, and are
	// clamped to MaxWeight. A nil Weight stands for zero everywhere.
	Weight func(i, j int) int64

	// Card names the card of each candidate. Candidates of one card are chosen
	// as a prefix: a later one only together with all earlier ones. Candidates
	// beyond the end of Card are cards of their own; nil means all are.
	Card []int

	// Accept, if not nil, is asked about complete choices, their positions
	// ascending; a refused one cannot be the answer. It must be a pure
	// function, and may be asked about a choice more than once. The slice is
	// valid during the call only.
	//
	// Accepting the best choice costs one call. Otherwise the search has to
	// pass all choices better than the answer.
	Accept func(choice []int) bool

	// Limit is the number of partial sets that may be examined before the
	// search falls back to the greedy choice. Zero or less means
	// DefaultLimit.
	Limit int
}

// Result is the answer to a Problem.
type Result struct {
	// Choice holds the chosen positions in ascending order. It belongs to the
	// caller. It is nil unless Found.
	Choice []int

	// Total is the sum of the weights of all pairs in Choice.
	Total int64

	// Visited is the number of partial sets examined: every bound computed
	// and every complete choice reached counts one. The local search for good
	// first choices, which is short and of fixed effort, is not included.
	Visited int

	// Found tells whether there is a Choice.
	Found bool

	// Exact tells whether the answer is proved: Choice is the first of the
	// best choices, or without Found, no choice is acceptable. It is not set
	// for a greedy answer.
	Exact bool
}

// Best returns the best acceptable choice of p: the one with the highest total
// and, among equal totals, the lexicographically first.
//
// If the limit is reached, Best falls back to the greedy choice: the best pair,
// then repeatedly the candidate with the highest gain, the first one among
// equals. If Accept refuses that, it returns the best acceptable choice met so
// far, if any.
//
// A K outside 1..N has no choice. Best does not modify p, holds no state, calls
// Weight and Accept on the calling goroutine, and is deterministic. It uses
// O(N*N) memory whatever the number of partial sets.
func Best(p Problem) Result {
	switch {
	case p.K <= 0 || p.K > p.N:
		return Result{Exact: true}
	case p.N > MaxN:
		return Result{}
	}
	m := newModel(p)
	budget := p.limit()

	// Refusals are rare. Without them exchangeable cards can be taken in
	// order, which a refusal does not allow.
	s := newSearch(m, m.ordered(), nil, budget)
	s.run()
	if p.Accept == nil || !s.exhausted && p.Accept(s.best.list()) {
		return s.result()
	}
	refused := newSearch(m, m.prefixes(), p.Accept, budget)
	refused.visited = s.visited
	refused.run()
	return refused.result()
}

func (p Problem) limit() int {
	if p.Limit > 0 {
		return p.Limit
	}
	return min(DefaultLimit, defaultWork/(p.N*p.N))
}
