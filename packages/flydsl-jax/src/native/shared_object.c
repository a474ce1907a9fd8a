/* dlopen of bytes, through a file in memory, or one that is deleted at once where there is no such thing. */
#define _GNU_SOURCE
#include "shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BAD(...) fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT, "flydsl: the launcher in `module` " __VA_ARGS__)

/* A loader that maps more than the file has ends the process: every segment must be in the image. */
static bool check_image(const unsigned char *image, size_t size, Failure *failure) {
  Elf64_Ehdr header;
  if (size < sizeof header || memcmp(image, ELFMAG, SELFMAG) != 0 || image[EI_CLASS] != ELFCLASS64)
    return BAD("is no shared object: %zu bytes", size);
  memcpy(&header, image, sizeof header);
  const uint64_t table = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > size || table > size - header.e_phoff)
    return BAD("is cut short: %zu bytes", size);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return BAD("is cut short: %zu bytes", size);
  }
  return true;
}

static bool write_all(int file, const char *bytes, size_t size) {
  while (size) {
    const ssize_t count = write(file, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= (size_t)count;
  }
  return true;
}

/* A path to an open file. The loader takes equal paths for one file, and descriptors are reused: each bit of a serial
 * number becomes `/.` or `/`, which the kernel reads alike. */
static void unique_path(int file, char *path, size_t size) {
  static atomic_uint serial;
  size_t used = (size_t)snprintf(path, size, "/proc/self/task/../fd");
  for (unsigned bits = atomic_fetch_add(&serial, 1) + 1; bits; bits >>= 1)
    used += (size_t)snprintf(path + used, size - used, bits & 1 ? "/." : "/");
  snprintf(path + used, size - used, "/%d", file);
}

static int create_file(char *path, size_t size) {
  const int file = memfd_create("flydsl-launcher", MFD_CLOEXEC);
  if (file >= 0) {
    unique_path(file, path, size);
    return file;
  }
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/flydsl-launcher-XXXXXX", folder && *folder ? folder : "/tmp");
  return mkstemp(path);
}

void *shared_object_open(const void *image, size_t size, Failure *failure) {
  if (!check_image(image, size, failure)) return NULL;
  char path[4096];
  const int file = create_file(path, sizeof path);
  if (file < 0) {
    BAD("cannot be loaded: no file can be made for its %zu bytes: %s", size, strerror(errno));
    return NULL;
  }
  void *library = NULL;
  if (!write_all(file, image, size)) BAD("cannot be loaded: writing its %zu bytes: %s", size, strerror(errno));
  else {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      BAD("cannot be loaded: %s", reason ? reason : "dlopen failed");
    }
  }
  if (strncmp(path, "/proc/", 6) != 0) unlink(path);
  close(file);
  return library;
}
