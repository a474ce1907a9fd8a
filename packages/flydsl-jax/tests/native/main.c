/* `handlers SCENARIO LAUNCHER`: one scenario, in a process of its own since a runtime is set once. */
#include "sample.h"

static void read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file && !fseek(file, 0, SEEK_END));
  image_size = (size_t)ftell(file);
  rewind(file);
  image = malloc(image_size);
  CHECK(image && fread(image, 1, image_size, file) == image_size);
  fclose(file);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } scenarios[] = {{"metadata", metadata},   {"stages", stages},   {"errors", errors},   {"lookup", lookup},
                   {"runtime", no_runtime},  {"buffers", buffers}, {"threads", threads}, {"plans", plans},
                   {"recording", recording}, {"values", values}};
  CHECK(count == 3);
  read_image(arguments[2]);
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i)
    if (!strcmp(scenarios[i].name, arguments[1])) {
      scenarios[i].run();
      free(image);
      return 0;
    }
  fprintf(stderr, "no scenario %s\n", arguments[1]);
  return 2;
}
