#include "textflag.h"

// func findPair(text *byte, blocks int, one, other byte, apart int) int
TEXT ·findPair(SB), NOSPLIT, $0-40
	MOVQ         text+0(FP), SI
	MOVQ         blocks+8(FP), CX
	VPBROADCASTB one+16(FP), Y0
	VPBROADCASTB other+17(FP), Y1
	MOVQ         apart+24(FP), DX
	XORQ         AX, AX
	ADDQ         SI, DX

block:
	VPCMPEQB (SI)(AX*1), Y0, Y2
	VPCMPEQB (DX)(AX*1), Y1, Y3
	VPCMPEQB 32(SI)(AX*1), Y0, Y4
	VPCMPEQB 32(DX)(AX*1), Y1, Y5
	VPAND    Y2, Y3, Y2
	VPAND    Y4, Y5, Y4
	VPOR     Y2, Y4, Y6
	VPTEST   Y6, Y6
	JNZ      found
	ADDQ     $64, AX
	DECQ     CX
	JNZ      block
	JMP      end

found:
	VPMOVMSKB Y2, R8
	VPMOVMSKB Y4, R9
	SHLQ      $32, R9
	ORQ       R9, R8
	BSFQ      R8, R8
	ADDQ      R8, AX

end:
	VZEROUPPER
	MOVQ AX, ret+32(FP)
	RET
