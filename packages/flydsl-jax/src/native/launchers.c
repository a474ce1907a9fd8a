/* The append-only table of launchers: readers take no lock, an entry is filled in before it can be found. */
#include "launchers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "shared_object.h"

enum { ORDINALS = 128, BUCKETS = 256 };

typedef struct Module {
  atomic_bool is_loaded; /* set after the handle */
  void *handle;
} Module;

struct Launcher {
  char key[KEY_DIGITS + 1];
  Launcher *next;
  FlyLoadFn load;
  FlyLaunchPackedFn launch;
  pthread_mutex_t loading;
  Module modules[ORDINALS];
};

static _Atomic(Launcher *) tables[PLATFORMS][BUCKETS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint_fast64_t opened_count, loaded_count;

bool launcher_check_key(const char *key, size_t size, Failure *failure) {
  bool is_good = size == KEY_DIGITS;
  for (size_t i = 0; is_good && i < size; ++i) is_good = strchr("0123456789abcdef", key[i]) && key[i];
  if (is_good) return true;
  return fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT,
              "flydsl: attribute `key` is %d hexadecimal digits in lower case, found %zu bytes", KEY_DIGITS, size);
}

static unsigned bucket_of(const char *key) {
  const char digits[3] = {key[0], key[1], '\0'};
  return (unsigned)strtoul(digits, NULL, 16) % BUCKETS;
}

Launcher *launcher_find(Platform platform, const char *key) {
  Launcher *launcher = atomic_load_explicit(&tables[platform][bucket_of(key)], memory_order_acquire);
  while (launcher && memcmp(launcher->key, key, KEY_DIGITS) != 0) launcher = launcher->next;
  return launcher;
}

/* ISO C has no conversion of data pointers to functions; POSIX has. */
#define FUNCTION(type, pointer) \
  ((union { \
     void *data; \
     type function; \
   }){pointer} \
       .function)

static Launcher *create(const char *key, const void *image, size_t size, Failure *failure) {
  void *library = shared_object_open(image, size, failure);
  if (!library) return NULL;
  void *load = dlsym(library, "fly_load"), *launch = dlsym(library, "fly_launch_packed");
  Launcher *launcher = load && launch ? calloc(1, sizeof *launcher) : NULL;
  if (!launcher) {
    if (!load || !launch)
      fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT,
           "flydsl: the shared object in `module` is no launcher: it has no fly_load or no fly_launch_packed");
    else fail(failure, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "flydsl: no memory is left for a launcher");
    dlclose(library);
    return NULL;
  }
  memcpy(launcher->key, key, KEY_DIGITS);
  launcher->load = FUNCTION(FlyLoadFn, load);
  launcher->launch = FUNCTION(FlyLaunchPackedFn, launch);
  pthread_mutex_init(&launcher->loading, NULL);
  atomic_fetch_add(&opened_count, 1);
  return launcher;
}

Launcher *launcher_add(Platform platform, const char *key, const void *image, size_t size, Failure *failure) {
  pthread_mutex_lock(&adding); /* Python is never called under it */
  Launcher *launcher = launcher_find(platform, key);
  if (!launcher && (launcher = create(key, image, size, failure))) {
    _Atomic(Launcher *) *first = &tables[platform][bucket_of(key)];
    launcher->next = atomic_load_explicit(first, memory_order_relaxed);
    atomic_store_explicit(first, launcher, memory_order_release);
  }
  pthread_mutex_unlock(&adding);
  return launcher;
}

static bool is_loaded(const Launcher *launcher, int32_t ordinal) {
  return atomic_load_explicit(&launcher->modules[ordinal].is_loaded, memory_order_acquire);
}

bool launcher_load(Launcher *launcher, const Runtime *runtime, int32_t ordinal, const char *name, Failure *failure) {
  if (ordinal < 0 || ordinal >= ORDINALS)
    return fail(failure, XLA_FFI_Error_Code_OUT_OF_RANGE, "flydsl: %s: device %d is not one of the first %d", name,
                (int)ordinal, ORDINALS);
  if (is_loaded(launcher, ordinal)) return true;
  pthread_mutex_lock(&launcher->loading);
  int32_t code = 0;
  if (!is_loaded(launcher, ordinal)) {
    code = launcher->load(runtime->api, ordinal, &launcher->modules[ordinal].handle);
    if (!code) {
      atomic_store_explicit(&launcher->modules[ordinal].is_loaded, true, memory_order_release);
      atomic_fetch_add(&loaded_count, 1);
    }
  }
  pthread_mutex_unlock(&launcher->loading);
  return code ? runtime_failed(runtime, name, "loading the code", code, failure) : true;
}

bool launcher_launch(Launcher *launcher, const Runtime *runtime, int32_t ordinal, void *stream, const void *packed,
                     const char *name, Failure *failure) {
  if (!launcher_load(launcher, runtime, ordinal, name, failure)) return false;
  const int32_t code = launcher->launch(runtime->api, launcher->modules[ordinal].handle, ordinal, stream, packed);
  return code ? runtime_failed(runtime, name, "the launch", code, failure) : true;
}

void launcher_counts(uint64_t *opened, uint64_t *loaded) {
  *opened = atomic_load(&opened_count);
  *loaded = atomic_load(&loaded_count);
}
