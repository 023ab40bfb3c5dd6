// memory.cu - arrays, structs, pointers and references into each space, compared at every line (test_values.py).
#include <cstdio>

struct point {
    float x, y;
    int id[2];
};

struct node {
    int value;
    node *next;
};

struct base {
    int kind;
};

struct derived : base {
    double weight;
    point at;
};

__constant__ int factors[4] = {2, 3, 5, 7};
__device__ int counters[64];
__device__ float scale = 1.5f;

__global__ void arrays(const int *in, int *out)
{ //+ out[threadIdx.x]; in[1]
    const int t = threadIdx.x; //+ t
    int a[4] = {t, 1, 2, 3}; //+ a[0]; a[1]; a[2]; a[3]
    int grid[2][3]; //
    for (int i = 0; i < 2; i++) { //+ i
        for (int j = 0; j < 3; j++) { //+ j
            grid[i][j] = in[i * 3 + j] + t;
        }
    }
    a[t % 4] = -1; //+ grid[1][2]; grid[0][1]
    int *p = a + 1; //+ *p; p[2]; p - a
    *p = 50;
    p++;
    p[1] += grid[1][0];
    out[t] = a[0] + a[1] + a[2] + a[3];
}

__global__ void structs(const point *in, point *out)
{ //+ out[threadIdx.x].id[1]; in->x; in[2].id[1]; (*in).y
    const int t = threadIdx.x; //+ t
    point p = in[t]; //+ p.x; p.y; p.id[0]; p.id[1]
    p.x += 1;
    point *q = &p; //+ q->x; q->id[1]; (*q).y
    q->id[1] = t * 3;
    derived d = {{t}, 0.25, p}; //+ d.kind; d.weight; d.at.x; d.at.id[1]
    base *b = &d; //+ b->kind
    b->kind *= 2;
    d.weight += d.kind;
    d.at.id[0] = (int)d.weight;
    out[t] = d.at;
}

__device__ inline void add_to(int &sum, const int &x)
{ //+ sum; x
    sum += x;
    sum += 1;
}

__global__ void references(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    int sum = 100; //+ sum
    int &r = sum; //+ r
    r += t;
    add_to(sum, t);
    add_to(r, 5);
    point p = {1, 2, {3, t}}; //+ p.id[1]
    point &s = p; //+ s.x; s.id[1]
    s.id[1] -= 7;
    const int &last = s.id[1]; //+ last
    out[t] = r + last;
}

__global__ void spaces(int *out)
{ //+ out[threadIdx.x]
    __shared__ int tile[64]; //
    __shared__ point corner; //
    const int t = threadIdx.x; //+ t
    int local[2] = {t, t + 1}; //+ local[0]; local[1]
    tile[t] = t * factors[t % 4]; //+ factors[2]; scale
    if (t == 0) {
        corner.x = 3; //
        corner.id[1] = 44;
    }
    __syncthreads();
    int *shared = tile + 3; //+ tile[5]; tile[31]; *shared; shared[2]; shared - tile; corner.x; corner.id[1]
    const int *constant = factors + 1; //+ *constant; constant[2]
    int *global = counters + t; //+ global[0]
    int *stack = local + 1; //+ *stack; stack[-1]
    *global = *shared + *constant;
    stack[0] += *global;
    shared = shared + 1;
    int *any = t % 2 ? shared : stack; //+ *any
    *stack += any == stack;
    out[t] = *any + (int)scale;
    __syncthreads();
    tile[t]++;
}

extern __shared__ float dynamic[];

__global__ void lists(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    node c = {t, nullptr}; //+ c.value; c.next == 0
    node b = {t + 1, &c}; //+ b.value; b.next->value
    node a = {t + 2, &b}; //+ a.value; a.next->next->value
    int sum = 0; //+ sum
    for (node *n = &a; n; n = n->next) { //+ n->value
        sum += n->value;
    }
    dynamic[t] = sum; //+ ((float *)&dynamic)[0]
    float f = dynamic[t] / 2; //+ f
    c.next = &a;
    sum += b.next->next->value;
    out[t] = sum + (int)f;
}

int main()
{
    point host[64];
    void *in, *out;
    for (int k = 0; k < 64; k++)
        host[k] = {k * 0.5f, -1.0f * k, {k, k * k}};
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    arrays<<<1, 32>>>((const int *)in, (int *)out);
    structs<<<1, 32>>>((const point *)in, (point *)out);
    references<<<1, 32>>>((int *)out);
    spaces<<<2, 40>>>((int *)out);
    lists<<<1, 32, 1024>>>((int *)out);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
