package numa

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
)

// Quantity is an exact amount, as Kubernetes writes it: "2", "500m", "1Gi", "1e3", 0.5. The zero value is none.
// k8s.io/apimachinery has one with more methods; this one needs the standard library alone.
type Quantity struct{ amount *big.Rat }

var (
	quantityForm = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([eE][+-]?[0-9]{1,2}|[KMGTPE]i|[numkMGTPE])?$`)
	suffixes     = map[string]*big.Rat{"": big.NewRat(1, 1)}
)

func init() {
	decimal, binary := big.NewInt(1), big.NewInt(1)
	for _, suffix := range []string{"k", "M", "G", "T", "P", "E"} {
		decimal.Mul(decimal, big.NewInt(1000))
		binary.Mul(binary, big.NewInt(1024))
		suffixes[suffix] = new(big.Rat).SetInt(decimal)
		suffixes[strings.ToUpper(suffix)+"i"] = new(big.Rat).SetInt(binary)
	}
	for power, suffix := range []string{"m", "u", "n"} {
		suffixes[suffix] = big.NewRat(1, []int64{1e3, 1e6, 1e9}[power])
	}
}

// ParseQuantity reads an amount.
func ParseQuantity(text string) (Quantity, error) {
	form := quantityForm.FindStringSubmatch(text)
	if form == nil || len(text) > 64 {
		return Quantity{}, fmt.Errorf("%q is not a quantity such as 500m, 2 or 1Gi", text)
	}
	amount, _ := new(big.Rat).SetString(form[1])
	factor, known := suffixes[form[2]]
	if !known {
		factor, _ = new(big.Rat).SetString("1" + form[2])
	}
	return Quantity{amount.Mul(amount, factor)}, nil
}

// UnmarshalJSON reads a text or a number, as the API server does.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	text := string(bytes.TrimSpace(data))
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	if text == "null" {
		return nil
	}
	read, err := ParseQuantity(text)
	*q = read
	return err
}

// Milli returns a thousand times the amount, rounded up: CPUs in thousandths of one.
func (q Quantity) Milli() int64 { return q.times(1000) }

// Value returns the amount, rounded up: bytes, pages, devices.
func (q Quantity) Value() int64 { return q.times(1) }

// Whole returns the amount if it is a whole number in thousandths, else 0: "2", "2000m" and "2.0" are 2, "1500m" is 0.
func (q Quantity) Whole() int {
	if value := q.Value(); value > 0 && q.Milli() == 1000*value {
		return int(value)
	}
	return 0
}

// Equal says whether two amounts are the same number, whatever they were written as.
func (q Quantity) Equal(other Quantity) bool { return q.rat().Cmp(other.rat()) == 0 }

// String writes the amount as a decimal number without a suffix.
func (q Quantity) String() string {
	if q.rat().IsInt() {
		return q.rat().Num().String()
	}
	return strings.TrimRight(q.rat().FloatString(9), "0")
}

func (q Quantity) rat() *big.Rat {
	if q.amount == nil {
		return new(big.Rat)
	}
	return q.amount
}

// times multiplies and rounds up; what is beyond 64 bits is cut off there.
func (q Quantity) times(factor int64) int64 {
	scaled := new(big.Rat).Mul(q.rat(), big.NewRat(factor, 1))
	whole := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(scaled.Num()), scaled.Denom()))
	if whole.BitLen() > 63 {
		return math.MaxInt64 * int64(whole.Sign())
	}
	return whole.Int64()
}
