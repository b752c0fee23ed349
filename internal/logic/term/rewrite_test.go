package term

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

// examples has for each rule an application to which it applies, and what the
// two sides are; "-" on the right says that the left side must stay as it is
// built. Both sides are compared by evaluation, with all rewriting off.
// The width is 4; x:w has width w.
const examples = `
and/value            (and p true) => p
and/value            (and p false) => false
or/value             (or p true) => true
or/value             (or p false) => p
and/same             (and p p) => p
or/same              (or p p) => p
and/opposite         (and p (not p)) => false
or/opposite          (or p (not p)) => true
and/nested           (and p (and p q)) => (and p q)
and/nested           (and p (and (not p) q)) => false
and/nested           (and p (or p q)) => p
and/nested           (and p (or q (not p))) => (and p q)
and/nested           (and p (not (and p q))) => (and p (not q))
and/nested           (and p (not (or p q))) => false
or/nested            (or p (or p q)) => (or p q)
or/nested            (or p (or (not p) q)) => true
or/nested            (or p (and p q)) => p
or/nested            (or p (and (not p) q)) => (or p q)
and/nested-both      (and (and p q) (and r (not q))) => false
and/nested-both      (and (or p q) (or p (not q))) => p
or/nested-both       (or (and p q) (and (not q) p)) => p
or/nested-both       (or (or p q) (or r (not q))) => true
and/entailed         (and (and p q) (or q r)) => (and p q)
and/entailed         (and p (not (or (and (not p) q) (or p r)))) => false
and/entailed         (and (and p q) (or r (not (or q r)))) => (and (and p q) r)
or/entailed          (or (or p q) (and q r)) => (or p q)
or/entailed          (or (and (not p) (not q)) (or q p)) => true
                     (and (and p q) (or r (= x y))) => -
not/not              (not (not p)) => p
xor/to-eq            (xor p q) => (not (= p q))
ite/condition-value  (ite true x y) => x
ite/condition-value  (ite false x y) => y
ite/same-branches    (ite p x x) => x
ite/condition-not    (ite (not p) x y) => (ite p y x)
ite/bool             (ite p true q) => (or p q)
ite/bool             (ite p q false) => (and p q)
ite/bool             (ite p q (not q)) => (= p q)
ite/bool             (ite p (not p) q) => (and (not p) q)
ite/implied          (ite p (ite p x y) z) => (ite p x z)
ite/implied          (ite p x (ite p y z)) => (ite p x z)
ite/implied          (ite (and p q) (ite q x y) z) => (ite (and p q) x z)
ite/implied          (ite (or p q) z (ite q x y)) => (ite (or p q) z y)
ite/merge            (ite p x (ite q x y)) => (ite (or p q) x y)
ite/merge            (ite p x (ite q y x)) => (ite (or p (not q)) x y)
ite/merge            (ite p (ite q x y) y) => (ite (and p q) x y)
ite/merge            (ite p (ite q y x) y) => (ite (and p (not q)) x y)
ite/equality         (ite (= x y) x y) => y
ite/equality         (ite (= x 3) 3 x) => x
ite/bit              (ite (= x:1 1:1) 1:1 0:1) => x:1
ite/bit              (ite (= x:1 1:1) 0:1 1:1) => (bvnot x:1)
ite/bit              (ite (slt x 0) 1:1 0:1) => (extract 3 3 x)
ite/extension        (ite p (zext 2 x:2) (zext 2 y:2)) => (zext 2 (ite p x:2 y:2))
ite/extension        (ite p (sext 2 x:2) -1) => (sext 2 (ite p x:2 -1:2))
                     (ite p (zext 2 x:2) -1) => -
ite/store            (select (ite p (store a x y) (store a x z)) x) => (ite p y z)
ite/store            (select (ite p (store a x y) a) x) => (ite p y (select a x))
ite/store            (select (ite p a (store a x y)) x) => (ite p (select a x) y)
=/same               (= x x) => true
=/bool-value         (= p true) => p
=/bool-value         (= p false) => (not p)
=/bool-not           (= (not p) (not q)) => (= p q)
=/bool-not           (= (not p) q) => (not (= p q))
=/facts              (= (zext 2 x:2) (concat 1:2 y:2)) => false
=/bit-zero           (= x:1 0:1) => (not (= x:1 1:1))
=/sign-bit           (= (extract 3 3 x) 1:1) => (slt x 0)
=/add-const          (= (add x 3) 5) => (= x 2)
=/add-const          (= (add x 3) (add x 4)) => false
=/add-const          (= (add x 3) (add y 4)) => (= x (add y 1))
=/add-common         (= (add x y) x) => (= y 0)
=/add-common         (= (add x y) (add y z)) => (= x z)
=/difference         (= (sub x y) 0) => (= x y)
=/unary-const        (= (neg x) 3) => (= x -3)
=/unary-const        (= (bvnot x) 3) => (= x -4)
=/unary-both         (= (neg x) (neg y)) => (= x y)
=/unary-both         (= (bvnot x) x) => false
=/xor-const          (= (bvxor x:8 0x55:8) 3:8) => (= x:8 0x56:8)
=/xor-zero           (= (bvxor x y) 0) => (= x y)
=/xor-common         (= (bvxor x y) x) => (= y 0)
=/mul-odd            (= (mul x 3) 6) => (= x 2)
                     (= (mul x 6) 6) => -
=/extension-const    (= (zext 4 x) 3:8) => (= x 3)
=/extension-const    (= (zext 61 x) 19:65) => false
=/facts              (= (zext 4 x) 19:8) => false
=/extension-const    (= (sext 4 x) -3:8) => (= x -3)
=/extension-const    (= (sext 4 x) 9:8) => false
=/extension-both     (= (zext 4 x) (zext 6 y:2)) => (= x (zext 2 y:2))
=/extension-both     (= (sext 4 x) (sext 4 y)) => (= x y)
=/concat-const       (= (concat x y) 0x35:8) => (and (= x 3) (= y 5))
=/concat-both        (= (concat x y) (concat x z)) => (= y z)
=/concat-both        (= (concat x 1) (concat y z)) => (and (= x y) (= z 1))
=/concat-both        (= (concat x y) (zext 4 z)) => (and (= x 0) (= y z))
                     (= (concat x y) (concat z w)) => -
=/ite-const          (= (ite p 5 x) 7) => (and (not p) (= x 7))
=/ite-const          (= (ite p x 5) 7) => (and p (= x 7))
=/ite-const          (= (ite p 5 x) 5) => (or p (= x 5))
=/ite-const          (= (ite p 5 6) 5) => p
=/ite-const          (= (ite p 5 6) 6) => (not p)
=/facts              (= (ite p 5 6) 9) => false
=/ite-branch         (= (ite p x y) x) => (or p (= x y))
=/ite-branch         (= (ite p x y) y) => (or (not p) (= x y))
=/ite-both           (= (ite p x y) (ite p x z)) => (or p (= y z))
=/bit-ite            (= (bit p) x:1) => (= p (= x:1 1:1))
=/bit-connective     (= (bvand (bit p) x:1) 1:1) => (and p (= x:1 1:1))
=/bit-connective     (= (bvor (bit p) x:1) 1:1) => (or p (= x:1 1:1))
=/bit-connective     (= (bvxor (bit p) x:1) 1:1) => (not (= p (= x:1 1:1)))
=/linear             (= (add x (add u 1)) (add (neg z) y)) => (= (add (add x u) z) (add y -1))
=/linear             (= (add x (add y z)) (add (neg u) 3)) => (= (add (add z y) (add u x)) 3)
=/linear             (= (add (add x y) z) (add (add z u) x)) => (= y u)
=/linear             (= (add (add x y) z) (add (add z x) y)) => true
                     (= (add (add x x) z) (add y u)) => -
=/ite-const          (test (bit p)) => p
=/ite-both           (= (ite p 1 2) (ite p 2 1)) => false
bvadd/zero           (add x 0) => x
bvadd/const-nested   (add (add x 3) 4) => (add x 7)
bvadd/const-outward  (add (add x 3) y) => (add (add x y) 3)
bvadd/const-outward  (add (add x 3) (add y 4)) => (add (add x y) 7)
bvadd/cancel         (sub x x) => 0
bvadd/cancel         (add x (bvnot x)) => -1
bvadd/cancel-nested  (sub (add x y) x) => y
bvadd/cancel-nested  (add (sub y x) x) => y
bvadd/cancel-difference (sub x (add x y)) => (neg y)
bvadd/cancel-difference (sub (add x z) (add x y)) => (sub z y)
bvadd/double         (add x x) => (concat (extract 2 0 x) 0:1)
bvadd/not-const      (add (bvnot x) 1) => (neg x)
bvadd/disjoint       (add (concat x 0) (zext 4 y)) => (concat x y)
bvneg/neg            (neg (neg x)) => x
bvneg/add-const      (neg (add x 3)) => (add (neg x) -3)
bvneg/difference     (neg (sub x y)) => (sub y x)
bvneg/not            (neg (bvnot x)) => (add x 1)
bvneg/mul-const      (neg (mul x 3)) => (mul x -3)
bvmul/zero-one       (mul x 0) => 0
bvmul/zero-one       (mul x 1) => x
bvmul/minus-one      (mul x -1) => (neg x)
bvmul/const-nested   (mul (mul x 3) 3) => (mul x 9)
bvmul/const-nested   (mul (neg x) 3) => (mul x -3)
bvmul/distribute     (mul (add x 1) 3) => (add (mul x 3) 3)
bvmul/power          (mul x 4) => (concat (extract 1 0 x) 0:2)
bvmul/neg            (mul (neg x) (neg y)) => (mul x y)
bvmul/neg            (mul (neg x) y) => (neg (mul x y))
bvudiv/const         (udiv x 0) => -1
bvudiv/const         (udiv x 1) => x
bvudiv/const         (udiv x 4) => (zext 2 (extract 3 2 x))
bvudiv/zero-same     (udiv x x) => (ite (= x 0) -1 1)
bvudiv/zero-same     (udiv 0 x) => (ite (= x 0) -1 0)
bvudiv/small         (udiv (zext 2 x:2) (concat 1:2 y:2)) => 0
bvudiv/narrow        (udiv (zext 4 x) 3:8) => (zext 4 (udiv x 3))
                     (udiv (zext 4 x) (zext 4 y)) => -
bvurem/const         (urem x 0) => x
bvurem/const         (urem x 1) => 0
bvurem/const         (urem x 4) => (zext 2 (extract 1 0 x))
bvurem/zero-same     (urem x x) => 0
bvurem/zero-same     (urem 0 x) => 0
bvurem/small         (urem (zext 2 x:2) (concat 1:2 y:2)) => (zext 2 x:2)
bvurem/narrow        (urem (zext 4 x) (zext 4 y)) => (zext 4 (urem x y))
bvsdiv/const         (sdiv x 0) => (ite (slt x 0) 1 -1)
bvsdiv/const         (sdiv x 1) => x
bvsdiv/const         (sdiv x -1) => (neg x)
bvsdiv/const         (sdiv x:1 1:1) => x:1
bvneg/bit            (neg x:1) => x:1
bvadd/bit            (add x:1 y:1) => (bvxor x:1 y:1)
bvmul/bit            (mul x:1 y:1) => (bvand x:1 y:1)
bvsdiv/unsigned      (sdiv (zext 1 x:3) (zext 2 y:2)) => (udiv (zext 1 x:3) (zext 2 y:2))
bvsdiv/negative-const (sdiv x -3) => (neg (sdiv x 3))
bvsdiv/power         (sdiv x 2) => (sext 1 (extract 3 1 (add x (zext 3 (extract 3 3 x)))))
bvsdiv/narrow        (sdiv (sext 4 x) 3:8) => (sext 4 (sdiv x 3))
                     (sdiv x -8) => -
bvsrem/const         (srem x 0) => x
bvsrem/const         (srem x 1) => 0
bvsrem/const         (srem x -1) => 0
bvsrem/zero-same     (srem x x) => 0
bvsrem/unsigned      (srem (zext 1 x:3) 3) => (urem (zext 1 x:3) 3)
bvsrem/negative-const (srem x -3) => (srem x 3)
bvsrem/power         (srem x 4) => (sub (zext 2 (extract 1 0 (add x (zext 2 (sext 1 (extract 3 3 x)))))) (zext 2 (sext 1 (extract 3 3 x))))
bvsrem/narrow        (srem (sext 4 x) (sext 4 y)) => (sext 4 (srem x y))
bvshl/zero           (shl 0 x) => 0
bvshl/const          (shl x 0) => x
bvshl/const          (shl x 1) => (concat (extract 2 0 x) 0:1)
bvshl/const          (shl x 5) => 0
bvshl/const          (shl (add x 1) 1) => (add (shl x 1) 2)
bvshl/far            (shl y (concat 1:1 x:3)) => (shl y (concat 1:1 x:3))
bvlshr/zero          (lshr 0 x) => 0
bvlshr/const         (lshr x 1) => (zext 1 (extract 3 1 x))
bvlshr/const         (lshr x 4) => 0
bvlshr/far           (lshr y (bvor x 4)) => 0
bvashr/zero          (ashr -1 x) => -1
bvashr/const         (ashr x 1) => (sext 1 (extract 3 1 x))
bvashr/const         (ashr x 9) => (sext 3 (extract 3 3 x))
bvashr/nonnegative   (ashr (zext 1 x:3) y) => (lshr (zext 1 x:3) y)
bvnot/not            (bvnot (bvnot x)) => x
bvnot/neg            (bvnot (neg x)) => (add x -1)
bvnot/xor-const      (bvnot (bvxor x 5)) => (bvxor x -6)
bvnot/concat         (bvnot (concat 1:2 x:2)) => (concat 2:2 (bvnot x:2))
bvnot/fold-choice    (bvnot (ite p 1 2)) => (ite p -2 -3)
bvxor/const          (bvxor x 0) => x
bvxor/const          (bvxor x -1) => (bvnot x)
bvxor/same           (bvxor x x) => 0
bvxor/same           (bvxor x (bvnot x)) => -1
bvxor/nested         (bvxor (bvxor x y) x) => y
bvxor/not            (bvxor (bvnot x) (bvnot y)) => (bvxor x y)
bvxor/not            (bvxor (bvnot x) y) => (bvnot (bvxor x y))
bvxor/not            (bvxor (bvnot x) 5) => (bvxor x 10)
bvxor/const-nested   (bvxor (bvxor x 5) 10) => (bvnot x)
bvxor/mask           (bvxor x 8) => (concat (bvnot (extract 3 3 x)) (extract 2 0 x))
bvxor/mask           (bvxor (bvxor x 8) 8) => x
bvxor/bits           (bvxor (bit p) (bit q)) => (bit (xor p q))
bvxor/split          (bvxor (concat x 5) 0x55:8) => (concat (bvxor x 5) 0)
bvxor/disjoint       (bvxor (concat x 0) (zext 4 y)) => (concat x y)
bvxor/extension      (bvxor (zext 4 x) (zext 4 y)) => (zext 4 (bvxor x y))
bvand/const          (bvand x 0) => 0
bvand/const          (bvand x -1) => x
bvor/const           (bvor x 0) => x
bvor/const           (bvor x -1) => -1
bvand/same           (bvand x x) => x
bvand/same           (bvand x (bvnot x)) => 0
bvor/same            (bvor x x) => x
bvor/same            (bvor x (bvnot x)) => -1
bvand/nested         (bvand x (bvand x y)) => (bvand x y)
bvand/nested         (bvand x (bvand (bvnot x) y)) => 0
bvand/nested         (bvand x (bvor x y)) => x
bvand/nested         (bvand x (bvor (bvnot x) y)) => (bvand x y)
bvor/nested          (bvor x (bvor x y)) => (bvor x y)
bvor/nested          (bvor x (bvor (bvnot x) y)) => -1
bvor/nested          (bvor x (bvand x y)) => x
bvor/nested          (bvor x (bvand (bvnot x) y)) => (bvor x y)
bvand/facts          (bvand (zext 2 x:2) 11) => (zext 2 x:2)
bvor/facts           (bvor (bvor x 5) 1) => (bvor x 5)
bvand/const-nested   (bvand (bvand x:8 0x55:8) 0x95:8) => (bvand x:8 0x15:8)
bvor/const-nested    (bvor (bvor x 5) 8) => (bvor x 13)
bvand/mask           (bvand x 3) => (zext 2 (extract 1 0 x))
bvand/mask           (bvand x 6) => (zext 1 (concat (extract 2 1 x) 0:1))
bvand/mask           (bvand x 9) => (concat (extract 3 3 x) (zext 2 (extract 0 0 x)))
bvor/mask            (bvor x 6) => (concat (extract 3 3 x) (concat 3:2 (extract 0 0 x)))
bvand/bits           (bvand (bit p) (bit q)) => (bit (and p q))
bvor/bits            (bvor (bit p) (bit q)) => (bit (or p q))
bvand/split          (bvand (concat x 5) 0x55:8) => (concat (bvand x 5) 5)
bvor/split           (bvor (concat x 0) (concat y z)) => (concat (bvor x y) z)
bvand/extension      (bvand (zext 4 x) (zext 6 y:2)) => (zext 6 (bvand (extract 1 0 x) y:2))
bvand/extension      (bvand (sext 4 x) (sext 4 y)) => (sext 4 (bvand x y))
bvand/extension      (bvand (zext 4 x) y:8) => (zext 4 (bvand x (extract 3 0 y:8)))
bvor/extension       (bvor (zext 4 x) (zext 4 y)) => (zext 4 (bvor x y))
bvor/disjoint        (bvor (concat x 0) (zext 4 y)) => (concat x y)
bvand/fold-choice    (bvand (ite p 1 2) (ite p 3 4)) => (ite p 1 0)
concat/nest-right    (concat (concat x y) z) => (concat x (concat y z))
concat/zero-high     (concat 0 x) => (zext 4 x)
concat/extension-high (concat (zext 2 x:2) y) => (zext 2 (concat x:2 y))
concat/extension-high (concat (sext 2 x:2) y) => (sext 2 (concat x:2 y))
concat/adjacent      (concat (extract 3 2 x) (extract 1 0 x)) => x
concat/adjacent      (concat (extract 3 3 x) (extract 2 1 x)) => (extract 3 1 x)
concat/adjacent      (concat (extract 3 2 (add x y)) (extract 1 0 (add x y))) => (add x y)
concat/adjacent      (concat (extract 15 8 (bvand x:16 0x5555:16)) (extract 7 0 (bvand x:16 0x5555:16))) => (bvand x:16 0x5555:16)
concat/adjacent      (concat (bvnot x) (bvnot y)) => (bvnot (concat x y))
concat/adjacent      (concat (extract 3 2 (ite p x 5)) (extract 1 0 (ite p x 5))) => (ite p x 5)
concat/adjacent-nested (concat (extract 3 2 x) (concat (extract 1 0 x) y)) => (concat x y)
concat/adjacent-nested (concat 1:2 (concat 2:2 x)) => (concat 6 x)
concat/const-extension (concat 1:2 (zext 2 x:2)) => (concat 4 x:2)
zero_extend/extension (zext 2 (zext 2 x)) => (zext 4 x)
zero_extend/extract  (zext 2 (extract 1 0 (udiv x 5))) => (udiv x 5)
zero_extend/fold-choice (zext 4 (ite p 1 2)) => (ite p 1:8 2:8)
sign_extend/extension (sext 2 (sext 2 x)) => (sext 4 x)
sign_extend/extension (sext 2 (zext 2 x)) => (zext 4 x)
sign_extend/nonnegative (sext 4 (urem x 5)) => (zext 4 (urem x 5))
extract/extract      (extract 1 1 (extract 3 1 x)) => (extract 2 2 x)
extract/concat       (extract 6 5 (concat x y)) => (extract 2 1 x)
extract/concat       (extract 2 1 (concat x y)) => (extract 2 1 y)
extract/concat       (extract 5 2 (concat x y)) => (concat (extract 1 0 x) (extract 3 2 y))
extract/zext         (extract 7 5 (zext 4 x)) => 0:3
extract/zext         (extract 2 1 (zext 4 x)) => (extract 2 1 x)
extract/zext         (extract 5 2 (zext 4 x)) => (zext 2 (extract 3 2 x))
extract/sext         (extract 7 5 (sext 4 x)) => (sext 2 (extract 3 3 x))
extract/sext         (extract 5 2 (sext 4 x)) => (sext 2 (extract 3 2 x))
extract/ite          (extract 1 0 (ite p x 6)) => (ite p (extract 1 0 x) 2:2)
extract/not          (extract 1 0 (bvnot x)) => (bvnot (extract 1 0 x))
extract/bitwise      (extract 3 0 (bvand x:8 0x55:8)) => (bvand (extract 3 0 x:8) 5)
extract/quotient     (extract 8 5 (mul (zext 5 x) 11:9)) => (udiv x 3)
extract/quotient     (extract 8 8 (mul (sext 5 x) 11:9)) => (extract 3 3 x)
extract/quotient     (extract 7 4 (mul (sext 6 x) 6:10)) => (add (sdiv x 3) (sext 3 (extract 3 3 x)))
extract/quotient-sum (extract 2 1 (add (extract 7 4 (mul (sext 6 x) -5:10)) x)) => (add (extract 1 0 (sdiv x 3)) (sext 1 (extract 3 3 x)))
sign_extend/quotient (sext 1 (extract 9 7 (mul (sext 6 x) 26:10))) => (add (sdiv x 5) (sext 3 (extract 3 3 x)))
extract/quotient-half (extract 3 2 (add (extract 7 4 (mul (zext 4 x) 3:8)) (zext 1 (extract 3 1 (sub x (extract 7 4 (mul (zext 4 x) 3:8))))))) => (extract 1 0 (udiv x 7))
bvadd/sign           (add (sext 3 x:1) (zext 3 x:1)) => 0
bvadd/sign           (add (add x (sext 3 y:1)) (zext 3 y:1)) => x
bvadd/remainder      (sub x (mul 5 (udiv x 5))) => (urem x 5)
bvadd/remainder      (sub x (add (sdiv x 5) (mul 4 (sdiv x 5)))) => (srem x 5)
bvadd/remainder      (sub (zext 4 x) (mul 5:8 (zext 4 (udiv x 5)))) => (zext 4 (urem x 5))
extract/sum          (extract 1 0 (add x y)) => (add (extract 1 0 x) (extract 1 0 y))
extract/sum          (extract 1 0 (mul x y)) => (mul (extract 1 0 x) (extract 1 0 y))
extract/sum          (extract 1 0 (neg x)) => (neg (extract 1 0 x))
                     (extract 2 1 (add x y)) => -
bvule/strict         (ule x y) => (not (ult y x))
bvsle/strict         (sle x y) => (not (slt y x))
bvult/same           (ult x x) => false
bvslt/same           (slt x x) => false
bvult/const-left     (ult 4 x) => (not (ult x 5))
bvult/const-left     (ult -1 x) => false
bvslt/const-left     (slt 3 x) => (not (slt x 4))
bvslt/const-left     (slt 7 x) => false
bvult/facts          (ult (zext 2 x:2) (concat 1:2 y:2)) => true
bvult/facts          (ult (urem x 5) 5) => true
bvslt/facts          (slt (zext 1 x:3) 0) => false
bvslt/facts          (slt (concat 1:1 x:3) (zext 1 y:3)) => true
bvslt/facts          (slt (zext 1 x:3) (udiv y 3)) => (ult (zext 1 x:3) (udiv y 3))
bvult/facts          (ult x 0) => false
bvult/edge           (ult x:65 0:65) => false
bvult/edge           (ult x 1) => (= x 0)
bvult/edge           (ult x -1) => (not (= x -1))
bvslt/edge           (slt x -8) => false
bvslt/edge           (slt x -7) => (= x -8)
bvslt/edge           (slt x 7) => (not (= x 7))
bvult/extension-const (ult (zext 4 x) 9:8) => (ult x 9)
bvult/extension-const (ult (sext 4 x) -3:8) => (ult x -3)
bvslt/extension-const (slt (sext 4 x) 3:8) => (slt x 3)
bvslt/extension-const (slt (sext 4 x) 9:8) => true
bvslt/extension-const (slt (sext 4 x) -9:8) => false
bvult/extension-both (ult (zext 4 x) (zext 6 y:2)) => (ult x (zext 2 y:2))
bvslt/extension-const (slt (zext 61 x) 9:65) => (ult x 9)
bvslt/extension-const (slt (zext 61 x) 19:65) => true
bvslt/extension-const (slt (zext 61 x) -1:65) => false
bvslt/extension-both (slt (sext 4 x) (sext 4 y)) => (slt x y)
bvult/extension-both (ult (sext 4 x) (sext 4 y)) => (ult x y)
bvult/not-both       (ult (bvnot x) (bvnot y)) => (ult y x)
bvslt/not-both       (slt (bvnot x) 3) => (not (slt x -3))
bvult/concat         (ult (concat x y) (concat x z)) => (ult y z)
bvult/concat         (ult (concat x y) (concat z y)) => (ult x z)
bvslt/concat         (slt (concat x y) (concat x z)) => (ult y z)
bvult/concat         (ult (concat x 0) 0x60:8) => (ult x 6)
bvult/concat         (ult (concat x 0) 0x61:8) => (ult x 7)
bvult/ite-const      (ult (ite p 2 x) 5) => (or p (ult x 5))
bvslt/ite-const      (slt (ite p 6 x) 5) => (and (not p) (slt x 5))
bvult/ite-const      (ult (ite p 2 7) 5) => p
bvult/range-edge     (ult (bvor x 5) 6) => (= (bvor x 5) 5)
bvult/range-edge     (ult (udiv x 3) 5) => (not (= (udiv x 3) 5))
bvslt/integers       (slt (sub (sext 4 x) (sext 4 y)) 1:8) => (not (slt y x))
bvslt/integers       (slt (sub (sext 4 x) (sext 4 y)) 0:8) => (slt x y)
bvslt/integers       (slt (sub (sext 4 x) (zext 4 y)) -1:8) => (slt (add (sext 2 x) 1:6) (zext 2 y))
bvult/integers       (slt (add (zext 4 x) (zext 4 y)) 9:8) => (ult (add (zext 1 x) (zext 1 y)) 9:5)
bvslt/integers       (slt (sub (mul (sext 8 x) 3:12) (concat (sext 4 y) 0:4)) 5:12) => (slt (mul (sext 5 x) 3:9) (add (concat (sext 1 y) 0:4) 5:9))
bvult/integers       (slt (add (zext 4 x) (zext 4 y)) (add (zext 4 x) (zext 4 z))) => (ult y z)
bvult/integers       (ult (add (zext 4 x) 1:8) (add (zext 4 y) 2:8)) => (not (ult y x))
bvult/integers       (ult (add (zext 4 x) 200:8) 210:8) => (ult x 10)
                     (ult (add (zext 4 x) 250:8) 3:8) => -
                     (slt (sub (sext 1 x) (sext 1 y)) 1:5) => (not (slt y x))
                     (ult (add (zext 2 x) (zext 2 y)) (sext 2 z)) => -
=/integers           (= (sub (sext 4 x) (sext 4 y)) (sext 6 z:2)) => (= (sext 1 x) (add (sext 1 y) (sext 3 z:2)))
=/difference         (= (sub (sext 4 x) (sext 4 y)) 0:8) => (= x y)
bvult/remainder      (ult (urem x y) y) => (not (= y 0))
select/chain         (select (store a x y) x) => y
select/chain         (select (store a 1 y) 2) => (select a 2)
select/chain         (select (store (store a x y) (add x 1) z) x) => y
select/chain         (select (konst y) x) => y
select/chain         (select (ite p (store a 1 y) (store b 1 z)) 1) => (ite p y z)
select/chain         (select (ite p (store a 1 y) (store a 2 z)) 3) => (select a 3)
                     (select (store a x y) z) => -
store/overwrite      (select (store (store a x y) x z) 1) => (select (store a x z) 1)
store/overwrite      (select (store (store (store a 1 x) 2 y) 1 z) x) => (select (store (store a 2 y) 1 z) x)
store/overwrite      (select (store (store (store a x 5) y 6) x 7) z) => (select (store (store a y 6) x 7) z)
store/read-back      (select (store a x (select a x)) y) => (select a y)
store/const-array    (select (store (konst x) y x) z) => x
fp.mul/one           (fmul x:16 0x3c00:16) => (ite (isnan x:16) 0x7e00:16 x:16)
fp.div/one           (fdiv x:16 0x3c00:16) => (ite (isnan x:16) 0x7e00:16 x:16)
fp.eq/same           (feq x:16 x:16) => (not (isnan x:16))
fp.leq/same          (fle x:16 x:16) => (not (isnan x:16))
fp.lt/same           (flt x:16 x:16) => false
fp.to_fp/round-trip  (ftof 16 (ftof 32 x:16)) => (ite (isnan x:16) 0x7e00:16 x:16)
fp.to_fp/round-trip  (ftof 64 (ftof 32 x:16)) => (ftof 64 x:16)
fp.to_sbv/round-trip (ftosi 8 (sitof 16 x:8)) => x:8
fp.to_ubv/round-trip (ftoui 16 (uitof 32 x:8)) => (zext 8 x:8)
                     (ftosi 16 (sitof 16 x:13)) => -
                     (ftoui 16 (uitof 16 x:12)) => -
`

// TestRules checks every example, and that every rule has one.
func TestRules(t *testing.T) {
	fired := map[string]bool{}
	for line := range strings.Lines(examples) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name := ""
		if line[0] != '(' {
			name, line, _ = strings.Cut(line, " ")
		}
		left, right, _ := strings.Cut(strings.TrimSpace(line), " => ")
		s, raw := NewStore(), NewRawStore()
		here := map[string]bool{}
		s.fired = func(rule string) { here[rule] = true; fired[rule] = true }
		got := parse(s, 4, left)
		plain := parse(raw, 4, left)
		if name != "" && !here[name] {
			t.Errorf("%s: rule %s does not fire on it, only %v", left, name, here)
		}
		if right == "-" {
			if s.Op(got) != raw.Op(plain) {
				t.Errorf("%s: is %s, want it as built", left, s.String(got))
			}
		} else if want := parse(s, 4, right); got != want {
			t.Errorf("%s:\n is   %s\n want %s", left, s.String(got), s.String(want))
		}
		checkEquivalent(t, left, raw, plain, s, got)
	}
	for op, list := range rules {
		for _, r := range list {
			if name := Op(op).String() + "/" + r.name; !fired[name] && r.name != "fold-choice" {
				t.Errorf("no example of rule %s", name)
			}
		}
	}
}

// checkEquivalent compares two terms under all assignments of their variables,
// or many if there are too many. The variables are those of the first store.
func checkEquivalent(t *testing.T, what string, s1 *Store, t1 ID, s2 *Store, t2 ID) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	vars := s1.Vars(t1)
	bits := uint32(0)
	for _, v := range vars {
		if s1.Sort(v).Kind == SortArray {
			bits = 64
		} else {
			bits += max(s1.Width(v), 1)
		}
	}
	rounds := uint64(3000)
	if bits <= 12 {
		rounds = 1 << bits
	}
	for round := range rounds {
		values := map[string]bv.BV{}
		arrays := map[string]map[uint64]bv.BV{}
		rest := round
		for _, v := range vars {
			name, w := s1.VarName(v), max(s1.Width(v), 1)
			switch {
			case s1.Sort(v).Kind == SortArray:
				arrays[name] = map[uint64]bv.BV{}
				for i := range uint64(1) << s1.Sort(v).Index {
					arrays[name][i] = bv.New(w, rng.Uint64())
				}
			case bits <= 12:
				values[name] = bv.New(w, rest)
				rest >>= w
			default:
				values[name] = randomValue(rng, w)
			}
		}
		eval := func(s *Store, t ID) bv.BV {
			e := NewEvaluator(s, func(v ID) (bv.BV, bool) { x, ok := values[s.VarName(v)]; return x, ok })
			e.SetArrays(func(v ID) (map[uint64]bv.BV, bv.BV, bool) {
				return arrays[s.VarName(v)], bv.New(s.Width(v), 0), true
			})
			return e.Value(t)
		}
		if x, y := eval(s1, t1), eval(s2, t2); !x.Equal(y) {
			t.Errorf("%s: %s is %s, but %s is %s under %v %v", what, s1.String(t1), x, s2.String(t2), y, values, arrays)
			return
		}
	}
}

// randomValue favours the corners.
func randomValue(rng *rand.Rand, width uint32) bv.BV {
	one := bv.New(width, 1)
	switch rng.IntN(8) {
	case 0:
		return bv.New(width, uint64(rng.IntN(4)))
	case 1:
		return bv.New(width, uint64(rng.IntN(4))).Not()
	case 2:
		return one.Shl(bv.New(width, uint64(rng.IntN(int(width)))))
	case 3:
		return one.Shl(bv.New(width, uint64(width-1))).Sub(bv.New(width, uint64(rng.IntN(2))))
	}
	if width <= 64 {
		return bv.New(width, rng.Uint64())
	}
	return bv.New(64, rng.Uint64()).Concat(bv.New(width-64, rng.Uint64()))
}

// TestIntegerRelations compares sums of extended words of two or three bits, with
// and without wraps, under all assignments.
func TestIntegerRelations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 2500
	if testing.Short() {
		rounds = 1000
	}
	narrower := 0
	for range rounds {
		seed := rng.Uint64()
		var built [2]ID
		stores := [2]*Store{NewRawStore(), NewStore()}
		for i, s := range stores {
			built[i] = randomRelation(s, rand.New(rand.NewPCG(seed, 5)))
		}
		s, relation := stores[1], built[1]
		if s.Op(relation) == OpNot {
			relation = s.Arg(relation, 0)
		}
		if op := s.Op(relation); (op == OpSLt || op == OpULt || op == OpEq) && s.Width(s.Arg(relation, 0)) < stores[0].Width(stores[0].Arg(built[0], 0)) {
			narrower++
		}
		checkEquivalent(t, stores[0].String(built[0]), stores[0], built[0], stores[1], built[1])
		if t.Failed() {
			return
		}
	}
	if narrower < rounds/5 {
		t.Errorf("only %d of %d relations became narrower", narrower, rounds)
	}
}

// randomRelation compares two sums.
func randomRelation(s *Store, rng *rand.Rand) ID {
	w := uint32(3 + rng.IntN(6))
	summand := func() ID {
		name := []string{"x", "y", "z", "u"}[rng.IntN(4)]
		width := uint32(2)
		if name > "x" && rng.IntN(4) == 0 {
			name, width = name+"3", 3
		}
		v := s.Var(name, BitVec(width))
		var t ID
		if rng.IntN(2) == 0 {
			t = s.ZExt(v, w)
		} else {
			t = s.SExt(v, w)
		}
		switch rng.IntN(6) {
		case 0:
			return s.Mul(t, s.ConstU(w, rng.Uint64()))
		case 1:
			return s.Mul(t, s.ConstU(w, 1<<rng.IntN(3)))
		case 2, 3:
			return s.Neg(t)
		}
		return t
	}
	sum := func() ID {
		t := s.ConstU(w, uint64(rng.IntN(6))-2)
		if rng.IntN(8) == 0 {
			t = s.ConstU(w, rng.Uint64())
		}
		for range rng.IntN(4) {
			t = s.Add(t, summand())
		}
		return t
	}
	x, y := sum(), sum()
	switch rng.IntN(3) {
	case 0:
		return s.ULt(x, y)
	case 1:
		return s.SLt(x, y)
	}
	return s.Eq(x, y)
}

// TestUnsimplifiedIndex has an index that maxDepth kept from its normal form.
func TestUnsimplifiedIndex(t *testing.T) {
	s := NewStore()
	x, a := s.Var("x", BitVec(8)), s.Var("a", Array(8, 8))
	s.depth = maxDepth
	same := s.Add(x, s.ConstU(8, 0))
	s.depth = 0
	if same == x {
		t.Fatal("x + 0 was simplified")
	}
	read := s.Select(s.StoreArray(a, x, s.ConstU(8, 5)), same)
	if v := NewEvaluator(s, nil).Value(read); v.Uint64() != 5 {
		t.Errorf("%s is %s", s.String(read), v)
	}
}
