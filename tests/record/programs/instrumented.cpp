// The same in C++: exceptions, templates, operators, and a library that is loaded, called and unloaded.
#include <dlfcn.h>

#include <cstdio>
#include <stdexcept>

namespace shapes
{
template <typename T> struct box {
    T of;
    T operator()(T more) const
    {
        return of + more;
    }
};

class square
{
  public:
    explicit square(int side) : side_(side) {}
    int area() const
    {
        if (side_ < 0)
            throw std::invalid_argument("a side below 0");
        return side_ * side_;
    }

  private:
    int side_;
};
} // namespace shapes

static int try_area(int side)
{
    try {
        return shapes::square(side).area();
    } catch (const std::invalid_argument &) {
        return 0;
    }
}

int main(int, char **argv)
{
    int sum = 0;
    for (int i = -10; i < 10; i++)
        sum += try_area(i);
    sum += shapes::box<int>{1}(2);
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return 1;
    reinterpret_cast<void (*)()>(dlsym(library, "loaded"))();
    dlclose(library);
    std::printf("instrumented.try_area 20\nshapes.square.area 20\nshapes.square.square 20\n"
                "shapes.box<int>.operator() 1\nloaded.loaded 1\ninstrumented.main 1\n");
    return sum == 0;
}
