// y = 2 x + 1
extern "C" __global__ void scale(const float *x, int n, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}
