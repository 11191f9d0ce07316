// Has the headers that tests share precompiled (CMakeLists.txt).
int main() {}
