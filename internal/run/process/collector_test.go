package process

import "testing"

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 400}, {1 << 20, 400}, {64 << 20, 400}, {128 << 20, 200}, {256 << 20, 100}, {2 << 30, 100},
	} {
		if got := growth(c.live); got != c.want {
			t.Errorf("%d bytes live: growth by %d %%, want %d %%", c.live, got, c.want)
		}
	}
	previous := uint64(0)
	for live := uint64(1 << 20); live < 4<<30; live += live / 7 { // never less room for more
		next := live + live*uint64(growth(live))/100
		if next < previous-previous/50 {
			t.Errorf("%d bytes live: collection at %d bytes, before at %d", live, next, previous)
		}
		previous = next
	}
}
