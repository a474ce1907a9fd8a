#include "plans.h"

#include <stdlib.h>
#include <string.h>

const Plan *plans_find(const Plans *plans, const Reading *reading, uint64_t hash) {
  const Plan *plan = atomic_load_explicit(&plans->buckets[hash % BUCKETS], memory_order_acquire);
  for (; plan; plan = plan->next)
    if (plan->hash == hash && plan->count == reading->count &&
        !memcmp(plan->words, reading->words, reading->count * sizeof(uint64_t)))
      return plan;
  return NULL;
}

Plan *plan_new(const Reading *reading, uint32_t size) {
  size_t words = reading->count * sizeof(uint64_t);
  Plan *plan = calloc(1, sizeof *plan + words + size);
  if (!plan) return NULL;
  plan->hash = reading_hash(reading);
  plan->count = reading->count;
  plan->size = size;
  memcpy(plan->words, reading->words, words);
  return plan;
}

void plans_add(Plans *plans, Plan *plan) {
  _Atomic(Plan *) *bucket = &plans->buckets[plan->hash % BUCKETS];
  plan->next = atomic_load_explicit(bucket, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(bucket, &plan->next, plan, memory_order_release, memory_order_relaxed));
  atomic_fetch_add_explicit(&plans->count, 1, memory_order_relaxed);
}

int plans_traverse(const Plans *plans, visitproc visit, void *arg) {
  for (int i = 0; i < BUCKETS; i++)
    for (const Plan *plan = atomic_load_explicit(&plans->buckets[i], memory_order_acquire); plan; plan = plan->next)
      Py_VISIT(plan->kept);
  return 0;
}

void plans_free(Plans *plans) {
  for (int i = 0; i < BUCKETS; i++) {
    Plan *plan = atomic_exchange_explicit(&plans->buckets[i], NULL, memory_order_acq_rel);
    while (plan) {
      Plan *next = plan->next;
      PyObject *kept = plan->kept;
      free(plan);
      Py_XDECREF(kept);
      plan = next;
    }
  }
}
