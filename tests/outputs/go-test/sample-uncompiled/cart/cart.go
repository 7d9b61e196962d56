package cart

// Total adds prices.
func Total(prices []int) int {
	total := 0
	for _, price := range prices {
		total += price
	}
	return total
}
