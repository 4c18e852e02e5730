;; The inner loops of the scanner. Everything works on one memory: tables below, the text above (see
;; scanner-memory.ts, which knows the layout). Addresses and lengths are bytes. Reads may go up to 64 bytes beyond
;; `end`; the memory has that slack.
(module
  (memory (export "memory") 16)
  ;; Where the tables of the automaton stand, and what they mean; set before `run`.
  (global $asciiTable (export "asciiTable") (mut i32) (i32.const 0))
  (global $pageTable (export "pageTable") (mut i32) (i32.const 0))
  (global $pages (export "pages") (mut i32) (i32.const 0))
  (global $rows (export "rows") (mut i32) (i32.const 0))
  (global $lineSymbol (export "lineSymbol") (mut i32) (i32.const 0))
  (global $returnSymbol (export "returnSymbol") (mut i32) (i32.const 0))
  ;; Where `run` stopped: the position of the character, the position after it, its symbol, the state before it.
  (global $position (export "position") (mut i32) (i32.const 0))
  (global $nextPosition (export "nextPosition") (mut i32) (i32.const 0))
  (global $symbol (export "symbol") (mut i32) (i32.const 0))
  (global $state (export "state") (mut i32) (i32.const 0))

  ;; Runs the automaton over [p, end) from state s. Returns the state at the end (>= 0), or the cell that is
  ;; no plain state (< 0), with the globals above telling where.
  (func (export "run") (param $p i32) (param $end i32) (param $s i32) (result i32)
    (local $b i32) (local $c i32) (local $next i32) (local $length i32) (local $point i32)
    (loop $each
      (if (i32.ge_u (local.get $p) (local.get $end))
        (then
          (global.set $position (local.get $p))
          (return (local.get $s))))
      (local.set $b (i32.load8_u (local.get $p)))
      (local.set $c (i32.load16_u (i32.add (global.get $asciiTable) (i32.shl (local.get $b) (i32.const 1)))))
      (local.set $length (i32.const 1))
      (if (i32.eq (local.get $c) (i32.const 0xffff))
        (then
          (if (i32.eq (local.get $b) (i32.const 0x0d))
            (then
              ;; CR LF is one line end where a pattern names no CR.
              (local.set $c (global.get $returnSymbol))
              (if (i32.lt_u (i32.add (local.get $p) (i32.const 1)) (local.get $end))
                (then
                  (if (i32.eq (i32.load8_u offset=1 (local.get $p)) (i32.const 0x0a))
                    (then
                      (local.set $c (global.get $lineSymbol))
                      (local.set $length (i32.const 2)))))))
            (else
              (local.set $point (call $decode (local.get $p) (local.get $end)))
              (if (i32.eqz (local.get $point))
                (then (local.set $c (i32.const 0)))
                (else
                  (local.set $length
                    (i32.add (i32.const 2)
                      (i32.add
                        (i32.ge_u (local.get $point) (i32.const 0x800))
                        (i32.ge_u (local.get $point) (i32.const 0x10000)))))
                  (local.set $c
                    (i32.load16_u
                      (i32.add (global.get $pages)
                        (i32.shl
                          (i32.or
                            (i32.shl
                              (i32.load16_u
                                (i32.add (global.get $pageTable)
                                  (i32.shl (i32.shr_u (local.get $point) (i32.const 8)) (i32.const 1))))
                              (i32.const 8))
                            (i32.and (local.get $point) (i32.const 0xff)))
                          (i32.const 1))))))))))) 
      (local.set $next
        (i32.load
          (i32.add (global.get $rows)
            (i32.shl (i32.add (local.get $s) (local.get $c)) (i32.const 2)))))
      (if (i32.lt_s (local.get $next) (i32.const 0))
        (then
          (global.set $position (local.get $p))
          (global.set $nextPosition (i32.add (local.get $p) (local.get $length)))
          (global.set $symbol (local.get $c))
          (global.set $state (local.get $s))
          (return (local.get $next))))
      (local.set $s (local.get $next))
      (local.set $p (i32.add (local.get $p) (local.get $length)))
      (br $each))
    (unreachable))

  ;; The code point of the UTF-8 sequence of two to four bytes at p; 0 when it is none.
  (func $decode (param $p i32) (param $end i32) (result i32)
    (local $b i32) (local $point i32) (local $left i32)
    (local.set $b (i32.load8_u (local.get $p)))
    (local.set $left (i32.sub (local.get $end) (local.get $p)))
    (if (i32.and (i32.ge_u (local.get $b) (i32.const 0xc2)) (i32.le_u (local.get $b) (i32.const 0xdf)))
      (then
        (if (i32.lt_u (local.get $left) (i32.const 2)) (then (return (i32.const 0))))
        (if (i32.eqz (call $continues (i32.load8_u offset=1 (local.get $p)))) (then (return (i32.const 0))))
        (return
          (i32.or
            (i32.shl (i32.and (local.get $b) (i32.const 0x1f)) (i32.const 6))
            (i32.and (i32.load8_u offset=1 (local.get $p)) (i32.const 0x3f))))))
    (if (i32.eq (i32.and (local.get $b) (i32.const 0xf0)) (i32.const 0xe0))
      (then
        (if (i32.lt_u (local.get $left) (i32.const 3)) (then (return (i32.const 0))))
        (if (i32.eqz
              (i32.and
                (call $continues (i32.load8_u offset=1 (local.get $p)))
                (call $continues (i32.load8_u offset=2 (local.get $p)))))
          (then (return (i32.const 0))))
        (local.set $point
          (i32.or
            (i32.or
              (i32.shl (i32.and (local.get $b) (i32.const 0x0f)) (i32.const 12))
              (i32.shl (i32.and (i32.load8_u offset=1 (local.get $p)) (i32.const 0x3f)) (i32.const 6)))
            (i32.and (i32.load8_u offset=2 (local.get $p)) (i32.const 0x3f))))
        (if (i32.lt_u (local.get $point) (i32.const 0x800)) (then (return (i32.const 0))))
        (if (i32.eq (i32.and (local.get $point) (i32.const 0xf800)) (i32.const 0xd800))
          (then (return (i32.const 0))))
        (return (local.get $point))))
    (if (i32.and (i32.ge_u (local.get $b) (i32.const 0xf0)) (i32.le_u (local.get $b) (i32.const 0xf4)))
      (then
        (if (i32.lt_u (local.get $left) (i32.const 4)) (then (return (i32.const 0))))
        (if (i32.eqz
              (i32.and
                (i32.and
                  (call $continues (i32.load8_u offset=1 (local.get $p)))
                  (call $continues (i32.load8_u offset=2 (local.get $p))))
                (call $continues (i32.load8_u offset=3 (local.get $p)))))
          (then (return (i32.const 0))))
        (local.set $point
          (i32.or
            (i32.or
              (i32.shl (i32.and (local.get $b) (i32.const 0x07)) (i32.const 18))
              (i32.shl (i32.and (i32.load8_u offset=1 (local.get $p)) (i32.const 0x3f)) (i32.const 12)))
            (i32.or
              (i32.shl (i32.and (i32.load8_u offset=2 (local.get $p)) (i32.const 0x3f)) (i32.const 6))
              (i32.and (i32.load8_u offset=3 (local.get $p)) (i32.const 0x3f)))))
        (if (i32.or
              (i32.lt_u (local.get $point) (i32.const 0x10000))
              (i32.gt_u (local.get $point) (i32.const 0x10ffff)))
          (then (return (i32.const 0))))
        (return (local.get $point))))
    (i32.const 0))

  (func $continues (param $b i32) (result i32)
    (i32.eq (i32.and (local.get $b) (i32.const 0xc0)) (i32.const 0x80)))

  ;; The first occurrence in [p, end) of the needle of n bytes at address `needle`, each byte of the text first
  ;; or-ed with its mask (0x20 folds ASCII case) at `needle + 1024`. Two bytes of the needle, at offsets i1
  ;; and i2, are compared sixteen places at a time; the rest only where both agree. -1 for none.
  (func (export "find") (param $p i32) (param $end i32) (param $needle i32) (param $n i32) (param $i1 i32) (param $i2 i32) (result i32)
    (local $b1 v128) (local $b2 v128) (local $m1 v128) (local $m2 v128)
    (local $last i32) (local $bits i32) (local $c i32) (local $k i32)
    (local.set $b1 (v128.load8_splat (i32.add (local.get $needle) (local.get $i1))))
    (local.set $b2 (v128.load8_splat (i32.add (local.get $needle) (local.get $i2))))
    (local.set $m1 (v128.load8_splat offset=1024 (i32.add (local.get $needle) (local.get $i1))))
    (local.set $m2 (v128.load8_splat offset=1024 (i32.add (local.get $needle) (local.get $i2))))
    (local.set $last (i32.sub (local.get $end) (local.get $n)))
    (block $none
      (loop $blocks
        (br_if $none (i32.gt_s (local.get $p) (local.get $last)))
        (local.set $bits
          (i8x16.bitmask
            (v128.and
              (i8x16.eq
                (v128.or (v128.load (i32.add (local.get $p) (local.get $i1))) (local.get $m1))
                (local.get $b1))
              (i8x16.eq
                (v128.or (v128.load (i32.add (local.get $p) (local.get $i2))) (local.get $m2))
                (local.get $b2)))))
        (block $noneHere
          (loop $candidates
            (br_if $noneHere (i32.eqz (local.get $bits)))
            (local.set $c (i32.add (local.get $p) (i32.ctz (local.get $bits))))
            (br_if $none (i32.gt_s (local.get $c) (local.get $last)))
            (local.set $k (i32.const 0))
            (block $differs
              (loop $verify
                (br_if $differs
                  (i32.ne
                    (i32.or
                      (i32.load8_u (i32.add (local.get $c) (local.get $k)))
                      (i32.load8_u offset=1024 (i32.add (local.get $needle) (local.get $k))))
                    (i32.load8_u (i32.add (local.get $needle) (local.get $k)))))
                (local.set $k (i32.add (local.get $k) (i32.const 1)))
                (br_if $verify (i32.lt_u (local.get $k) (local.get $n))))
              (return (local.get $c)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br $candidates)))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $blocks)))
    (i32.const -1))

  ;; The first place in [p, end) where bytes at offsets o1 < o2 < o3 lie in three byte sets at once. A set is
  ;; two tables of 16 bytes, by low and by high half byte; a bit that both have stands for one alternative
  ;; (the method called Teddy, with sets in place of single bytes). `tables` holds the three pairs. -1 for none.
  (func (export "findSets") (param $p i32) (param $end i32) (param $tables i32) (param $o1 i32) (param $o2 i32) (param $o3 i32) (result i32)
    (local $l1 v128) (local $h1 v128) (local $l2 v128) (local $h2 v128) (local $l3 v128) (local $h3 v128)
    (local $v v128) (local $acc v128) (local $half v128) (local $last i32) (local $bits i32) (local $c i32)
    (local.set $l1 (v128.load (local.get $tables)))
    (local.set $h1 (v128.load offset=16 (local.get $tables)))
    (local.set $l2 (v128.load offset=32 (local.get $tables)))
    (local.set $h2 (v128.load offset=48 (local.get $tables)))
    (local.set $l3 (v128.load offset=64 (local.get $tables)))
    (local.set $h3 (v128.load offset=80 (local.get $tables)))
    (local.set $half (i8x16.splat (i32.const 0x0f)))
    (local.set $last (i32.sub (i32.sub (local.get $end) (local.get $o3)) (i32.const 1)))
    (block $none
      (loop $blocks
        (br_if $none (i32.gt_s (local.get $p) (local.get $last)))
        (local.set $v (v128.load (i32.add (local.get $p) (local.get $o1))))
        (local.set $acc
          (v128.and
            (i8x16.swizzle (local.get $l1) (v128.and (local.get $v) (local.get $half)))
            (i8x16.swizzle (local.get $h1) (i8x16.shr_u (local.get $v) (i32.const 4)))))
        (local.set $v (v128.load (i32.add (local.get $p) (local.get $o2))))
        (local.set $acc
          (v128.and (local.get $acc)
            (v128.and
              (i8x16.swizzle (local.get $l2) (v128.and (local.get $v) (local.get $half)))
              (i8x16.swizzle (local.get $h2) (i8x16.shr_u (local.get $v) (i32.const 4))))))
        (local.set $v (v128.load (i32.add (local.get $p) (local.get $o3))))
        (local.set $acc
          (v128.and (local.get $acc)
            (v128.and
              (i8x16.swizzle (local.get $l3) (v128.and (local.get $v) (local.get $half)))
              (i8x16.swizzle (local.get $h3) (i8x16.shr_u (local.get $v) (i32.const 4))))))
        (local.set $bits
          (i8x16.bitmask (i8x16.ne (local.get $acc) (v128.const i32x4 0 0 0 0))))
        (if (local.get $bits)
          (then
            (local.set $c (i32.add (local.get $p) (i32.ctz (local.get $bits))))
            (br_if $none (i32.gt_s (local.get $c) (local.get $last)))
            (return (local.get $c))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $blocks)))
    (i32.const -1))

  ;; How many bytes of [p, end) equal b.
  (func (export "countByte") (param $p i32) (param $end i32) (param $b i32) (result i32)
    (local $n i32) (local $v v128) (local $lastBlock i32)
    (local.set $v (i8x16.splat (local.get $b)))
    (local.set $lastBlock (i32.sub (local.get $end) (i32.const 16)))
    (block $tail
      (loop $blocks
        (br_if $tail (i32.gt_s (local.get $p) (local.get $lastBlock)))
        (local.set $n
          (i32.add (local.get $n)
            (i32.popcnt (i8x16.bitmask (i8x16.eq (v128.load (local.get $p)) (local.get $v))))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $blocks)))
    (block $done
      (loop $bytes
        (br_if $done (i32.ge_s (local.get $p) (local.get $end)))
        (local.set $n
          (i32.add (local.get $n) (i32.eq (i32.load8_u (local.get $p)) (local.get $b))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $bytes)))
    (local.get $n))

  ;; The first place in [p, end) of byte b; end when there is none.
  (func (export "nextByte") (param $p i32) (param $end i32) (param $b i32) (result i32)
    (local $v v128) (local $bits i32)
    (local.set $v (i8x16.splat (local.get $b)))
    (block $none
      (loop $blocks
        (br_if $none (i32.ge_s (local.get $p) (local.get $end)))
        (local.set $bits (i8x16.bitmask (i8x16.eq (v128.load (local.get $p)) (local.get $v))))
        (if (local.get $bits)
          (then
            (local.set $p (i32.add (local.get $p) (i32.ctz (local.get $bits))))
            (return (select (local.get $p) (local.get $end) (i32.lt_s (local.get $p) (local.get $end))))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $blocks)))
    (local.get $end))

  ;; The place after the last byte b in [start, p); start when there is none.
  (func (export "afterLastByte") (param $start i32) (param $p i32) (param $b i32) (result i32)
    (local $v v128) (local $bits i32)
    (local.set $v (i8x16.splat (local.get $b)))
    (block $tail
      (loop $blocks
        (br_if $tail (i32.lt_s (i32.sub (local.get $p) (local.get $start)) (i32.const 16)))
        (local.set $p (i32.sub (local.get $p) (i32.const 16)))
        (local.set $bits (i8x16.bitmask (i8x16.eq (v128.load (local.get $p)) (local.get $v))))
        (if (local.get $bits)
          (then
            (return (i32.add (local.get $p) (i32.sub (i32.const 32) (i32.clz (local.get $bits)))))))
        (br $blocks)))
    (block $none
      (loop $bytes
        (br_if $none (i32.le_s (local.get $p) (local.get $start)))
        (local.set $p (i32.sub (local.get $p) (i32.const 1)))
        (if (i32.eq (i32.load8_u (local.get $p)) (local.get $b))
          (then (return (i32.add (local.get $p) (i32.const 1)))))
        (br $bytes)))
    (local.get $start))

  ;; Marks the runs of three and of four bytes in [p, end), letters in either case as one, in a set of `count` bits at
  ;; `bits`; returns how many bits were new. The order and the mixing are those of gram-query.ts.
  (func (export "markGrams") (param $p i32) (param $end i32) (param $bits i32) (param $count i32) (result i32)
    (local $gram i32) (local $fresh i32)
    (if (i32.lt_s (i32.sub (local.get $end) (local.get $p)) (i32.const 3)) (then (return (i32.const 0))))
    (local.set $gram
      (i32.or
        (i32.shl (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 16))
        (i32.shl (i32.or (i32.load8_u offset=1 (local.get $p)) (i32.const 0x20)) (i32.const 24))))
    (local.set $p (i32.add (local.get $p) (i32.const 2)))
    ;; The first three bytes have no fourth before them.
    (local.set $gram
      (i32.or
        (i32.shr_u (local.get $gram) (i32.const 8))
        (i32.shl (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 24))))
    (local.set $fresh (call $mark (i32.shr_u (local.get $gram) (i32.const 8)) (i32.const 0x9e3779b1) (local.get $bits) (local.get $count)))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (block $done
      (loop $bytes
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (local.set $gram
          (i32.or
            (i32.shr_u (local.get $gram) (i32.const 8))
            (i32.shl (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 24))))
        (local.set $fresh
          (i32.add (local.get $fresh)
            (i32.add
              (call $mark (i32.shr_u (local.get $gram) (i32.const 8)) (i32.const 0x9e3779b1) (local.get $bits) (local.get $count))
              (call $mark (local.get $gram) (i32.const 0x85ebca6b) (local.get $bits) (local.get $count)))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $bytes)))
    (local.get $fresh))

  ;; Sets the bit of a gram; 1 when it was not set before.
  (func $mark (param $gram i32) (param $factor i32) (param $bits i32) (param $count i32) (result i32)
    (local $bit i32) (local $cell i32) (local $before i32)
    (local.set $bit
      (i32.wrap_i64
        (i64.shr_u
          (i64.mul
            (i64.extend_i32_u (i32.mul (local.get $gram) (local.get $factor)))
            (i64.extend_i32_u (local.get $count)))
          (i64.const 32))))
    (local.set $cell (i32.add (local.get $bits) (i32.shr_u (local.get $bit) (i32.const 3))))
    (local.set $before (i32.load8_u (local.get $cell)))
    (local.set $bit (i32.and (local.get $bit) (i32.const 7)))
    (i32.store8 (local.get $cell) (i32.or (local.get $before) (i32.shl (i32.const 1) (local.get $bit))))
    (i32.xor (i32.and (i32.shr_u (local.get $before) (local.get $bit)) (i32.const 1)) (i32.const 1))))
