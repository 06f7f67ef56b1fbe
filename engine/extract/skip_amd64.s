#include "textflag.h"

// For each block four sets of 64 bits are made, a bit for each byte: quotes, what lies inside strings (from the
// opening quote to before the closing one: the exclusive or of all quotes so far, which a carry-less
// multiplication by all ones gives), and opening and closing brackets outside of strings. A square bracket
// becomes a curly one by the bit that makes letters small; nothing else does.

// func passBlocks(text *byte, blocks, depth int, inside uint64) (passed, depthAfter int, insideAfter uint64)
TEXT ·passBlocks(SB), NOSPLIT, $0-56
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ depth+16(FP), DX
	MOVQ inside+24(FP), R8
	MOVQ SI, DI

	MOVL         $0x22, AX // "
	VMOVD        AX, X8
	VPBROADCASTB X8, Y8
	MOVL         $0x5c, AX // backslash
	VMOVD        AX, X9
	VPBROADCASTB X9, Y9
	MOVL         $0x20, AX
	VMOVD        AX, X10
	VPBROADCASTB X10, Y10
	MOVL         $0x7b, AX // {
	VMOVD        AX, X11
	VPBROADCASTB X11, Y11
	MOVL         $0x7d, AX // }
	VMOVD        AX, X12
	VPBROADCASTB X12, Y12
	VPCMPEQB     Y15, Y15, Y15
	XORQ         R15, R15

block:
	TESTQ CX, CX
	JZ    end
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	// AX: quotes
	VPCMPEQB  Y8, Y0, Y2
	VPCMPEQB  Y8, Y1, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, AX

	VPCMPEQB Y9, Y0, Y2
	VPCMPEQB Y9, Y1, Y3
	VPOR     Y2, Y3, Y4
	VPTEST   Y4, Y4
	JNZ      escapes
	TESTQ    R15, R15
	JNZ      escapes

	// R9: inside
strings:
	VMOVQ      AX, X2
	VPCLMULQDQ $0, X15, X2, X2
	VMOVQ      X2, R9
	XORQ       R8, R9

	VPOR Y10, Y0, Y0
	VPOR Y10, Y1, Y1

	// R10: opening
	VPCMPEQB  Y11, Y0, Y2
	VPCMPEQB  Y11, Y1, Y3
	VPMOVMSKB Y2, R10
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, R10
	ANDNQ     R10, R9, R10

	// R11: closing
	VPCMPEQB  Y12, Y0, Y2
	VPCMPEQB  Y12, Y1, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, R11
	ANDNQ     R11, R9, R11

	MOVQ    R9, R8
	SARQ    $63, R8
	POPCNTQ R11, R12
	POPCNTQ R10, R13
	CMPQ    R12, DX
	JGE     look

next:
	ADDQ R13, DX
	SUBQ R12, DX
	ADDQ $64, SI
	DECQ CX
	JMP  block

	// There are as many closing brackets as are open before the block: one of them may close the outermost.
look:
	MOVQ DX, R14 // open before the closing bracket at hand, but for those opened in this block

each:
	TESTQ   R11, R11
	JZ      next
	TZCNTQ  R11, AX
	BZHIQ   AX, R10, BX
	POPCNTQ BX, BX
	ADDQ    R14, BX
	CMPQ    BX, $1
	JLE     found
	DECQ    R14
	BLSRQ   R11, R11
	JMP     each

	// Takes the escaped bytes out of the quotes. Of a run of backslashes every second one is escaped, and what follows
	// a run of an odd number. Subtracting the first backslash of each run from the odd bits behind it makes a borrow
	// run along it, so that the bits of the result alternate from where the run begins (Langdale and Lemire, Parsing
	// Gigabytes of JSON per Second, and its successors).
escapes:
	VPMOVMSKB Y2, R9
	VPMOVMSKB Y3, BX
	SHLQ      $32, BX
	ORQ       BX, R9                     // backslashes
	ANDNQ     R9, R15, R10               // those that are not escaped by the block before
	LEAQ      (R10)(R10*1), R11
	MOVQ      $0xAAAAAAAAAAAAAAAA, R12
	ORQ       R12, R11
	SUBQ      R10, R11
	XORQ      R12, R11                   // what escapes, and what ends such a run
	MOVQ      R9, R10
	ORQ       R15, R10
	XORQ      R11, R10                   // escaped
	ANDNQ     AX, R10, AX
	ANDQ      R9, R11
	SHRQ      $63, R11
	MOVQ      R11, R15                   // 1: the first byte of the next block is escaped
	JMP       strings

found:
	LEAQ 1(SI)(AX*1), SI
	XORQ R15, R15
	XORQ DX, DX
	XORQ R8, R8

end:
	VZEROUPPER
	SUBQ DI, SI
	ADDQ R15, SI
	MOVQ SI, passed+32(FP)
	MOVQ DX, depthAfter+40(FP)
	MOVQ R8, insideAfter+48(FP)
	RET
