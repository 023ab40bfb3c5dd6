// language.cu - templates, inlined functions, methods, lambdas, namespaces, compared at every line (test_values.py).
#include <cstdio>

namespace shapes
{
struct box {
    float width, height;

    __device__ float area() const
    { //+ width; this->height
        float result = width * height; //+ result
        return result;
    }

    __device__ box &grow(float by)
    { //+ by; width
        width += by;
        height += by / 2;
        return *this;
    }
};

__device__ int made = 4;
} // namespace shapes

template <typename T, int N>
struct stack {
    T items[N];
    int depth;

    __device__ void push(T item)
    { //+ item; depth
        items[depth] = item;
        depth++;
    }

    __device__ T pop()
    { //+ depth
        depth--;
        T top = items[depth]; //+ top
        return top;
    }
};

template <typename T>
__device__ T larger(T a, T b)
{ //+ a; b
    if (a > b)
        return a;
    T other = b; //+ other
    return other;
}

template <int SIZE>
__global__ void templates(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    stack<int, SIZE> s = {}; //+ s.depth; s.items[0]; s.items[1]
    s.push(t);
    s.push(larger(t, 10));
    float f = larger(t * 0.5f, 2.5f); //+ f
    double d = larger<double>(f, s.depth); //+ d
    int top = s.pop(); //+ top
    out[t] = top + f + (float)d;
}

__device__ __forceinline__ float square(float x)
{ //+ x
    float result = x * x; //+ result
    return result;
}

__device__ inline float length2(float x, float y)
{ //+ x; y
    float a = square(x); //+ a //-
    float b = square(y); //+ b //-
    return a + b;
}

__global__ void inlined(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    float sum = 0; //+ sum
    for (int i = 0; i < 2; i++) { //+ i
        sum += length2(t, i);
        sum = square(sum) - sum; //-
    }
    out[t] = sum;
}

__global__ void methods(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    shapes::box b = {1.0f * t, 2}; //+ b.width; b.height; shapes::made
    b.grow(0.5f);
    float area = b.area(); //+ area
    shapes::box &same = b.grow(area); //+ same.width
    same.width -= shapes::made;
    out[t] = b.area() + same.height;
}

__global__ void lambdas(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    int offset = 100; //+ offset
    int calls = 0; //+ calls
    auto add = [=](int x) {
        int y = x + offset; //+ x; y
        y += t;
        return y;
    };
    auto count = [&](int by) {
        calls += by; //+ by
        offset--;
    };
    int v = add(3); //+ v
    count(2);
    count(v);
    v = add(calls);
    out[t] = v + offset;
}

__device__ __noinline__ float mean(const float *x, int n, bool skip)
{ //+ x[0]; n; skip
    float sum = 0; //+ sum
    for (int i = skip; i < n; i++) { //+ i
        sum += x[i];
    }
    return sum / n;
}

__device__ __noinline__ shapes::box scaled(shapes::box b, double by, char tag, short more)
{ //+ b.width; b.height; by; tag; more
    b.width *= by;
    b.height += tag + more;
    return b;
}

__global__ void children(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    float x[4] = {1.0f * t, 2, 3, 4}; //+ x[0]; x[3]
    float m = mean(x, 4, t % 2); //+ m
    shapes::box b = scaled({m, 1}, 0.5, 'b', -t); //+ b.width; b.height
    if (t > 20) {
        m = mean(x + 1, 2, false);
        b = scaled(b, m, (char)t, 0);
    }
    out[t] = b.width + b.height + m;
}

typedef int (*operation)(int, int);
__device__ __noinline__ int plus(int a, int b)
{ //+ a; b
    return a + b;
}
__device__ __noinline__ int times(int a, int b)
{ //+ a; b
    int r = a * b; //+ r
    return r;
}

__global__ void pointers_to_functions(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    operation f = t % 3 ? plus : times; //+ f != 0
    int v = f(t, 3); //+ v
    v = f(v, v);
    out[t] = v;
}

int main()
{
    void *out;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    templates<4><<<1, 32>>>((float *)out);
    inlined<<<1, 32>>>((float *)out);
    methods<<<1, 32>>>((float *)out);
    lambdas<<<1, 32>>>((int *)out);
    children<<<1, 32>>>((float *)out);
    pointers_to_functions<<<1, 32>>>((int *)out);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
