// Matrix instructions and asynchronous copies, as these kernels use them.
#define IN_KERNEL static inline __device__

typedef unsigned int word;

IN_KERNEL word shared_at(const void *p)
{
	unsigned long long at;

	asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(p));
	return (word)at;
}

IN_KERNEL word bits_of(float value)
{
	word w;

	asm("mov.b32 %0, %1;" : "=r"(w) : "f"(value));
	return w;
}

IN_KERNEL void copy_16(word to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
		     :
		     : "r"(to), "l"(from)
		     : "memory");
}

IN_KERNEL void copies_end()
{
	asm volatile("cp.async.commit_group;" : : : "memory");
}

#define COPIES_WAIT(n) asm volatile("cp.async.wait_group " #n ";" : : : "memory")

IN_KERNEL void load_4(word *w, word at)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
		     "{%0, %1, %2, %3}, [%4];"
		     : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
		     : "r"(at)
		     : "memory");
}

IN_KERNEL void load_4_trans(word *w, word at)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
		     "{%0, %1, %2, %3}, [%4];"
		     : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
		     : "r"(at)
		     : "memory");
}

// d += a b
IN_KERNEL void mma_bf16(float *d, const word *a, const word *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		     "r"(b[1]));
}

IN_KERNEL void mma_f16(float *d, const word *a, const word *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		     "r"(b[1]));
}

IN_KERNEL void mma_tf32(float *d, const word *a, const word *b)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		     "r"(b[1]));
}

IN_KERNEL void mma_s8(int *d, const word *a, const word *b)
{
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		     "r"(b[1]));
}

// Two floats as halves, the first one in the low bits.
IN_KERNEL word halves(float low, float high)
{
	word w;

	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
	return w;
}
