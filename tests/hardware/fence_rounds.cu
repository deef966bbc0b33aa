// Which fences of an SM's warps go together, and which wait for others.
//
//   nvcc -arch=sm_90 -O3 tests/hardware/fence_rounds.cu -o fence_rounds && ./fence_rounds
//
// For results/probes/fence_rounds.tsv.gz.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
typedef unsigned u;
static __device__ __forceinline__ u clk(){u t;asm volatile("mov.u32 %0,%%clock;":"=r"(t)::"memory");return t;}
#define OPS 15u
#define FENCES 11u
#define USE(v) asm volatile("{.reg .pred p; setp.eq.u32 p,%0,0x77777777; @p trap;}"::"r"(v):"memory")
static __device__ __forceinline__ void fence(u f){
 switch(f){
 case 1: asm volatile("fence.acq_rel.gpu;":::"memory"); break;
 case 2: asm volatile("fence.sc.gpu;":::"memory"); break;
 case 3: asm volatile("fence.release.gpu;":::"memory"); break;
 case 4: asm volatile("fence.acquire.gpu;":::"memory"); break;
 case 5: asm volatile("fence.acq_rel.sys;":::"memory"); break;
 case 6: asm volatile("fence.sc.sys;":::"memory"); break;
 case 7: asm volatile("fence.acq_rel.cta;":::"memory"); break;
 case 8: asm volatile("fence.sc.cta;":::"memory"); break;
 case 9: asm volatile("fence.acq_rel.cluster;":::"memory"); break;
 case 10: asm volatile("fence.release.sys;":::"memory"); break;
 }
}
static __device__ __forceinline__ u ldcg(char*p){u v;asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
static __device__ __forceinline__ u ldca(char*p){u v;asm volatile("ld.global.ca.u32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
static __device__ __forceinline__ void st(char*p,u v){asm volatile("st.global.u32 [%0],%1;"::"l"(p),"r"(v):"memory");}
static __device__ __forceinline__ void red(char*p,u v){asm volatile("red.relaxed.gpu.global.add.u32 [%0],%1;"::"l"(p),"r"(v):"memory");}
static __device__ __forceinline__ u atom(char*p,u v){u o;asm volatile("atom.relaxed.gpu.global.add.u32 %0,[%1],%2;":"=r"(o):"l"(p),"r"(v):"memory");return o;}
/* at: the lane's word of the warp's line of the page of this round */
static __device__ __forceinline__ void work(u op,char*at,u lane,u*sh,u n){
 u v;
 switch(op){
 case 1: v=ldcg(at); USE(v); break;
 case 2: v=ldca(at); USE(v); break;
 case 3: st(at,lane); break;
 case 4: red(at,0); break;
 case 5: v=atom(at,0); USE(v); break;
 case 6: v=atom(at,0); asm volatile(""::"r"(v)); break;
 case 7: if(!lane) st(at,1); break;
 case 8: if(!lane) red(at,0); break;
 case 9: for(u i=0;i<n;i++) st(at+i*4096*16,lane); break;
 case 10: for(u i=0;i<n;i++) red(at+i*4096*16,0); break;
 case 11: sh[threadIdx.x]=lane; break;
 case 12: asm volatile("fence.acq_rel.gpu;":::"memory"); break;
 case 13: v=0; for(u i=0;i<n;i++) v^=ldca(at+i*4096*16); USE(v); break;
 case 14: if(!lane){ v=atom(at,0); USE(v);} __syncwarp(); break;
 }
}
template<u op,u fe> __global__ void probe(u*out,char*data,u waitc,u who,u rounds,u n,u others,u other_blocks,u meet,u pages,u first)
{
 extern __shared__ u sh[];
 volatile u*stop=sh+1024+8192;
 u lane=threadIdx.x&31,w=threadIdx.x>>5,warps=blockDim.x>>5;
 u sm; asm("mov.u32 %0,%%smid;":"=r"(sm));
 char*base=data+(size_t)first*4096+(blockIdx.x*8+ (w&7))*128%4096+lane*4+(blockIdx.x*8+(w&7))/32*4096*16*64+(w>>3)*4096*16*64*40;
 if(threadIdx.x==0) *stop=0;
 __syncthreads();
 bool is_fencer=w<who&&!(other_blocks&&blockIdx.x);
 if(is_fencer){
  for(u q=0;q<2*rounds;q++){
   u r=q%rounds;
   char*at=base+(r%pages)*4096;
   if(meet) asm volatile("bar.sync 1,%0;"::"r"(who*32):"memory");
   u ta=clk();
   work(op,at,lane,sh,n);
   if(waitc) while(clk()-ta<waitc);
   u t0=clk();
   fence(fe);
   u t1=clk();
   if(!lane){ sh[1024+(r*warps+w)*3]=ta; sh[1024+(r*warps+w)*3+1]=t0; sh[1024+(r*warps+w)*3+2]=t1; }
   __syncwarp();
  }
  __syncwarp();
  if(!other_blocks&&!lane) *stop=1;
  if(!lane) for(u r=0;r<rounds;r++) for(u j=0;j<3;j++)
    out[((blockIdx.x*rounds+r)*32+w)*4+j]=sh[1024+(r*warps+w)*3+j];
  if(!lane) out[(blockIdx.x*rounds*32+w)*4+3]=sm;
 } else {
  char*mine=base+4096*16*64*80;
  for(u i=0;i<4000&&(other_blocks||!*stop);i++){
   if(other_blocks&&i>=600) break;
   if(!others) continue;
   work(others,mine+(i%16)*4096,lane,sh,n);
  }
 }
}
#define DO(c) do{cudaError_t e=(c);if(e){printf("%s: %s\n",#c,cudaGetErrorString(e));exit(1);}}while(0)
// Warp w stores (op) and fences at base + w * delta; those that only access do it there, too.
template<u op,u fe> __global__ void epoch(u*out,char*data,u delta,u late,u fencers,u rounds,u spread){
 __shared__ u base; u lane=threadIdx.x&31,w=threadIdx.x>>5,warps=blockDim.x>>5;
 for(u q=0;q<2*rounds;q++){
  u r=q%rounds; char*at=data+(size_t)(r%16)*4096+(w*128)%4096+lane*4+(spread?w*4096*16:0);
  __syncthreads(); if(!threadIdx.x) base=clk()+300; __syncthreads();
  u go=base+w*delta; while((int)(clk()-go)<0);
  u t0=clk(); work(op,at,lane,nullptr,1); u t1=clk();
  if(w<fencers){ if(late){u g2=go+late; while((int)(clk()-g2)<0);} t1=clk(); fence(fe);} u t2=clk();
  if(!lane){u*o=out+((size_t)(q<rounds?0:r)*32+w)*4;o[0]=t0-base;o[1]=t1-base;o[2]=t2-base;}
  __syncthreads();
 }
}
static u*d;static char*data;static u h[16*32*4];
typedef void(*K)(u*,char*,u,u,u,u,u);
static void go(K k,const char*n,u warps,u delta,u late,u fencers,u spread){
 k<<<1,warps*32>>>(d,data,delta,late,fencers,16,spread);DO(cudaDeviceSynchronize());DO(cudaMemcpy(h,d,sizeof h,cudaMemcpyDeviceToHost));
 printf("%s warps=%u delta=%u late=%u fencers=%u spread=%u",n,warps,delta,late,fencers,spread);
 for(u r:{3u,7u,11u}){printf("\t|r%u",r);for(u w=0;w<warps;w++)printf(" %u:%u-%u",h[(r*32+w)*4],h[(r*32+w)*4+1],h[(r*32+w)*4+2]);}
 printf("\n");
}
int main(){
 DO(cudaMalloc(&d,sizeof h));DO(cudaMalloc(&data,64<<20));DO(cudaMemset(data,0,64<<20));
 K st=epoch<3,3>,st1=epoch<3,1>,red=epoch<4,3>,ld=epoch<1,3>,no=epoch<0,3>,no1=epoch<0,1>;
 struct{K k;const char*n;}ks[]={{st,"st.release"},{st1,"st.acq_rel"},{red,"red.release"},{ld,"ld.release"},{no,"none.release"},{no1,"none.acq_rel"}};
 for(auto&k:ks) for(u spread:{0u,1u}) for(u delta:{0u,5u,10u,20u,30u,40u,60u,80u,100u,150u,200u,300u,400u,500u}) for(u warps:{2u,3u,4u,8u}) if(warps<8||delta<=60) go(k.k,k.n,warps,delta,0,warps,spread);
 for(auto&k:ks) for(u late:{50u,100u,200u,300u}) for(u delta:{5u,10u,20u,30u,50u,80u}) go(k.k,k.n,4,delta,late,4,1);
 for(u delta:{10u,30u,60u,100u,200u,300u}) for(u f:{1u,2u}) for(u warps:{4u,8u,16u}) go(st,"st.release",warps,delta,0,f,1), go(red,"red.release",warps,delta,0,f,1);
 for(u late:{0u,100u}) for(u w:{8u,16u,32u}) for(u delta:{0u,1u,2u,4u,8u}) go(st,"st.release",w,delta,late,w,0),go(red,"red.release",w,delta,late,w,0),go(no,"none.release",w,delta,late,w,0);
 return 0;
}
