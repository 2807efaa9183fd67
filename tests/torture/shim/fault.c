/* Runs a program and, at the N-th call with which it changes something beneath the given folders, kills it, cuts a write
 * short, lets the call fail, or cuts the power.
 *
 *   fault REPORT MODE AT STICKY ERRNO SEED STORE ROOT… -- PROGRAM ARG…
 *
 * MODE is count, kill (before the call), after (it), torn (half of a write is made, then it dies), short (half of a write
 * is made, once), errno (the call fails with ERRNO; STICKY 1: so does every later one), drop or half (the power goes
 * before the call: what was not pressed onto the disk is gone, or a random half of it is). AT 0 is the end of the program.
 * STORE is a folder on the same disk that keeps what is unlinked until then.
 *
 * A tracer and not a preloaded library: files beneath the project are opened by system calls that pass libc by. What is
 * done beside the tracer: writes through mapped memory (SQLite's -shm alone, which nobody relies on after a cut). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "fault.c knows the registers of x86-64 alone"
#endif

enum kind { OTHER, WRITE, TRUNCATE, SYNC, CREATE, OPEN, RENAME, UNLINK, MKDIR, RMDIR, LINK, MODE };
static const char *const kinds[] = {"other", "write", "truncate", "sync",  "create", "open",
                                    "rename", "unlink", "mkdir",  "rmdir", "link",   "mode"};

/* What is known of the call that is about to be made. */
struct call {
  enum kind kind;
  char path[PATH_MAX], to[PATH_MAX];
  int fd;          /* of the tracee, or -1 */
  uint64_t offset; /* where a write begins */
  uint64_t length; /* of a write, or the new size */
  int exists;      /* whether the path that is made is there */
  int copies;      /* the bytes are not in the tracee's memory */
};

/* One change that is not on the disk yet. */
struct entry {
  enum kind kind;
  int alive, node, exchanged;
  dev_t dev;
  ino_t dir;
  uint64_t offset, old_size, new_length;
  char *old_bytes, *new_bytes;
  uint64_t old_length;
  char *path, *to, *saved;
};

struct node {
  dev_t dev;
  ino_t ino;
  int fd;
};

struct thread {
  pid_t tid;
  int pending; /* 0 nothing, 1 a sync, 2 dies at the exit */
  size_t before;
  dev_t dev;
  ino_t ino;
};

static struct entry *entries;
static size_t entry_count, entry_room;
static struct node nodes[4096];
static int node_count;
static struct thread threads[1024];
static int thread_count;
static char **roots;
static int root_count;
static const char *mode, *store;
static long at, seen[4], sticky, error_number, hits;
static uint64_t state;
static char hit[PATH_MAX + 64];
static pid_t child;

static uint64_t chance(void) {
  state += 0x9E3779B97F4A7C15ull;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return mixed ^ (mixed >> 31);
}

static int beneath(const char *path) {
  for (int i = 0; i < root_count; i++) {
    size_t length = strlen(roots[i]);
    if (!strncmp(path, roots[i], length) && (path[length] == '/' || !path[length])) return 1;
  }
  return 0;
}

static ssize_t peek(pid_t tid, uint64_t from, void *to, size_t length) {
  struct iovec local = {to, length}, remote = {(void *)from, length};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

static void peek_text(pid_t tid, uint64_t from, char *to) {
  size_t done = 0;
  to[0] = 0;
  while (done < PATH_MAX - 1) {
    size_t page = 4096 - ((from + done) & 4095);
    if (page > PATH_MAX - 1 - done) page = PATH_MAX - 1 - done;
    ssize_t got = peek(tid, from + done, to + done, page);
    if (got <= 0) break;
    if (memchr(to + done, 0, got)) return;
    done += got;
  }
  to[done] = 0;
}

static void path_of_fd(pid_t tid, int fd, char *to) {
  char link[64];
  snprintf(link, sizeof link, fd == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d", tid, fd);
  ssize_t length = readlink(link, to, PATH_MAX - 1);
  to[length < 0 ? 0 : length] = 0;
}

static void path_at(pid_t tid, int dir, uint64_t from, char *to) {
  char name[PATH_MAX], base[PATH_MAX];
  peek_text(tid, from, name);
  if (name[0] == '/') {
    strcpy(to, name);
    return;
  }
  path_of_fd(tid, dir, base);
  while (!strncmp(name, "./", 2)) memmove(name, name + 2, strlen(name) - 1);
  if (snprintf(to, PATH_MAX, name[0] ? "%s/%s" : "%s", base, name) >= PATH_MAX) to[0] = 0;
}

static void position(pid_t tid, int fd, uint64_t *offset) {
  char name[64], line[256];
  unsigned long long value = 0;
  unsigned flags = 0;
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", tid, fd);
  FILE *info = fopen(name, "r");
  if (!info) return;
  while (fgets(line, sizeof line, info)) {
    if (sscanf(line, "pos: %llu", &value) == 1) *offset = value;
    if (sscanf(line, "flags: %o", &flags) == 1) continue;
  }
  fclose(info);
  if (flags & O_APPEND) {
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, fd);
    if (!stat(name, &st)) *offset = st.st_size;
  }
}

static void of_fd(pid_t tid, struct call *call, enum kind kind, int fd) {
  call->kind = kind;
  call->fd = fd;
  path_of_fd(tid, fd, call->path);
}

static void opens(pid_t tid, struct call *call, int dir, uint64_t name, uint64_t flags) {
  struct stat st;
  if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_ACCMODE) == O_RDONLY) return;
  path_at(tid, dir, name, call->path);
  call->exists = !stat(call->path, &st);
  if ((flags & O_CREAT) && !call->exists)
    call->kind = CREATE;
  else if ((flags & O_TRUNC) && call->exists && st.st_size > 0)
    call->kind = TRUNCATE;
  else if (S_ISREG(call->exists ? st.st_mode : 0))
    call->kind = OPEN;
}

/* What this call is. */
static void look(pid_t tid, const struct user_regs_struct *regs, struct call *call) {
  uint64_t a = regs->rdi, b = regs->rsi, c = regs->rdx, d = regs->r10;
  struct { uint64_t flags, mode, resolve; } how;
  struct stat st;
  memset(call, 0, offsetof(struct call, path));
  call->kind = OTHER;
  call->path[0] = call->to[0] = 0;
  call->fd = -1;
  call->offset = call->length = call->exists = call->copies = 0;
  switch (regs->orig_rax) {
  case SYS_write: of_fd(tid, call, WRITE, a); position(tid, a, &call->offset); call->length = c; break;
  case SYS_pwrite64: of_fd(tid, call, WRITE, a); call->offset = d; call->length = c; break;
  case SYS_writev: case SYS_pwritev: case SYS_pwritev2: {
    struct iovec parts[64];
    size_t many = c < 64 ? c : 64;
    of_fd(tid, call, WRITE, a);
    if (regs->orig_rax == SYS_writev) position(tid, a, &call->offset); else call->offset = d;
    if (peek(tid, b, parts, many * sizeof *parts) > 0)
      for (size_t i = 0; i < many; i++) call->length += parts[i].iov_len;
    break;
  }
  case SYS_copy_file_range:
    of_fd(tid, call, WRITE, c);
    if (d) peek(tid, d, &call->offset, 8); else position(tid, c, &call->offset);
    call->length = regs->r8; call->copies = 1; break;
  case SYS_sendfile: of_fd(tid, call, WRITE, a); position(tid, a, &call->offset); call->length = d; call->copies = 1; break;
  case SYS_fallocate: of_fd(tid, call, TRUNCATE, a); call->length = c + d; break;
  case SYS_ftruncate: of_fd(tid, call, TRUNCATE, a); call->length = b; break;
  case SYS_truncate: call->kind = TRUNCATE; path_at(tid, AT_FDCWD, a, call->path); call->length = b; break;
  case SYS_fsync: case SYS_fdatasync: of_fd(tid, call, SYNC, a); break;
  case SYS_open: opens(tid, call, AT_FDCWD, a, b); break;
  case SYS_creat: opens(tid, call, AT_FDCWD, a, O_CREAT | O_TRUNC | O_WRONLY); break;
  case SYS_openat: opens(tid, call, a, b, c); break;
  case SYS_openat2: if (peek(tid, c, &how, sizeof how) > 0) opens(tid, call, a, b, how.flags); break;
  case SYS_rename: call->kind = RENAME; path_at(tid, AT_FDCWD, a, call->path); path_at(tid, AT_FDCWD, b, call->to); break;
  case SYS_renameat: case SYS_renameat2: call->kind = RENAME; path_at(tid, a, b, call->path); path_at(tid, c, d, call->to); break;
  case SYS_unlink: call->kind = UNLINK; path_at(tid, AT_FDCWD, a, call->path); break;
  case SYS_unlinkat: call->kind = c & AT_REMOVEDIR ? RMDIR : UNLINK; path_at(tid, a, b, call->path); break;
  case SYS_rmdir: call->kind = RMDIR; path_at(tid, AT_FDCWD, a, call->path); break;
  case SYS_mkdir: call->kind = MKDIR; path_at(tid, AT_FDCWD, a, call->path); break;
  case SYS_mkdirat: call->kind = MKDIR; path_at(tid, a, b, call->path); break;
  case SYS_link: call->kind = LINK; path_at(tid, AT_FDCWD, b, call->path); break;
  case SYS_linkat: call->kind = LINK; path_at(tid, c, d, call->path); break;
  case SYS_symlink: call->kind = LINK; path_at(tid, AT_FDCWD, b, call->path); break;
  case SYS_symlinkat: call->kind = LINK; path_at(tid, b, c, call->path); break;
  case SYS_chmod: call->kind = MODE; path_at(tid, AT_FDCWD, a, call->path); break;
  case SYS_fchmod: of_fd(tid, call, MODE, a); break;
  case SYS_fchmodat: call->kind = MODE; path_at(tid, a, b, call->path); break;
  }
  if ((call->kind == MKDIR || call->kind == LINK) && !lstat(call->path, &st)) call->exists = 1;
  if ((call->kind == UNLINK || call->kind == RMDIR) && lstat(call->path, &st)) call->kind = OTHER;
  if ((call->kind == MKDIR || call->kind == LINK) && call->exists) call->kind = OTHER;
  if (call->kind != OTHER && !beneath(call->path) && !beneath(call->to)) call->kind = OTHER;
}

/* Whether a call can fail in this way: 0 any change, 1 no space, 2 a broken disk, 3 no right to. */
static int counts(const struct call *call, int class) {
  switch (call->kind) {
  case OTHER: return 0;
  case OPEN: return class == 3;
  case WRITE: case TRUNCATE: return class != 3;
  case SYNC: return class == 0 || class == 2;
  case CREATE: case MKDIR: case LINK: return 1;
  case RENAME: return 1;
  case UNLINK: case RMDIR: case MODE: return class != 1;
  }
  return 0;
}

static int node_of(const struct stat *st, const char *open_as) {
  for (int i = 0; i < node_count; i++)
    if (nodes[i].dev == st->st_dev && nodes[i].ino == st->st_ino) return i;
  if (node_count == 4096) abort();
  nodes[node_count] = (struct node){st->st_dev, st->st_ino, open(open_as, O_RDWR | O_CLOEXEC)};
  return node_count++;
}

static char *parent_of(const char *path) {
  char *copy = strdup(path), *slash = strrchr(copy, '/');
  if (slash) *slash = 0;
  return copy;
}

static struct entry *add(enum kind kind) {
  if (entry_count == entry_room) {
    entry_room = entry_room ? entry_room * 2 : 256;
    entries = realloc(entries, entry_room * sizeof *entries);
  }
  struct entry *entry = &entries[entry_count++];
  memset(entry, 0, sizeof *entry);
  entry->kind = kind;
  entry->alive = 1;
  entry->node = -1;
  return entry;
}

static struct entry *add_name(enum kind kind, const char *path) {
  struct stat st = {0};
  char *parent = parent_of(path);
  stat(parent, &st);
  free(parent);
  struct entry *entry = add(kind);
  entry->dev = st.st_dev;
  entry->dir = st.st_ino;
  entry->path = strdup(path);
  return entry;
}

/* A second name for a file that is about to lose this one. */
static char *save(const char *path) {
  static int number;
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s/%d", store, number++);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, 0) ? NULL : strdup(name);
}

/* Remembers how a change is taken back. */
static void remember(pid_t tid, const struct user_regs_struct *regs, const struct call *call) {
  char name[PATH_MAX];
  struct stat st;
  struct entry *entry;
  switch (call->kind) {
  case WRITE: case TRUNCATE:
    if (call->fd >= 0) snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, call->fd);
    else strcpy(name, call->path);
    if (stat(name, &st) || !S_ISREG(st.st_mode)) return;
    entry = add(call->kind);
    entry->node = node_of(&st, name);
    entry->offset = call->kind == WRITE ? call->offset : call->length;
    entry->old_size = st.st_size;
    entry->new_length = call->length;
    uint64_t end = call->kind == WRITE ? call->offset + call->length : (uint64_t)st.st_size;
    if (end > (uint64_t)st.st_size) end = st.st_size;
    if (end > entry->offset) {
      entry->old_length = end - entry->offset;
      entry->old_bytes = malloc(entry->old_length);
      if (pread(nodes[entry->node].fd, entry->old_bytes, entry->old_length, entry->offset) < 0) abort();
    }
    if (call->kind == WRITE && !call->copies) {
      entry->new_bytes = calloc(1, call->length + 1);
      if (regs->orig_rax == SYS_write || regs->orig_rax == SYS_pwrite64)
        peek(tid, regs->rsi, entry->new_bytes, call->length);
      else {
        struct iovec parts[64];
        size_t many = regs->rdx < 64 ? regs->rdx : 64, done = 0;
        peek(tid, regs->rsi, parts, many * sizeof *parts);
        for (size_t i = 0; i < many; done += parts[i++].iov_len)
          peek(tid, (uint64_t)parts[i].iov_base, entry->new_bytes + done, parts[i].iov_len);
      }
    }
    break;
  case CREATE: case MKDIR: case LINK: add_name(call->kind, call->path); break;
  case UNLINK: add_name(UNLINK, call->path)->saved = save(call->path); break;
  case RMDIR: add_name(RMDIR, call->path); break;
  case RENAME:
    entry = add_name(RENAME, call->to);
    entry->to = strdup(call->path);
    entry->exchanged = regs->orig_rax == SYS_renameat2 && regs->r8 & RENAME_EXCHANGE;
    if (!entry->exchanged) entry->saved = save(call->to);
    break;
  default: break;
  }
}

static void synced(const struct thread *thread) {
  for (size_t i = 0; i < thread->before; i++) {
    struct entry *entry = &entries[i];
    dev_t dev = entry->node >= 0 ? nodes[entry->node].dev : entry->dev;
    ino_t ino = entry->node >= 0 ? nodes[entry->node].ino : entry->dir;
    if (dev == thread->dev && ino == thread->ino) entry->alive = 0;
  }
}

static void remove_all(const char *path) {
  if (!fork()) {
    execlp("rm", "rm", "-rf", path, (char *)NULL);
    _exit(1);
  }
  wait(NULL);
}

static void put(int fd, const char *bytes, uint64_t length, uint64_t offset) {
  if (length && pwrite(fd, bytes, length, offset) < 0) perror("pwrite");
}

/* The power goes: what was not pressed onto the disk is taken back, newest first; of a half some of it comes again. */
static void cut_power(void) {
  int half = !strcmp(mode, "half");
  size_t names = 0;
  for (size_t i = 0; i < entry_count; i++) {
    struct entry *entry = &entries[i];
    if (!entry->alive) continue;
    if (entry->node < 0) names++;
    else if (entry->kind == WRITE && !entry->new_bytes) {
      struct stat st;
      int fd = nodes[entry->node].fd;
      if (fstat(fd, &st) || (uint64_t)st.st_size <= entry->offset) { entry->new_length = 0; continue; }
      if (entry->new_length > st.st_size - entry->offset) entry->new_length = st.st_size - entry->offset;
      entry->new_bytes = calloc(1, entry->new_length + 1);
      if (pread(fd, entry->new_bytes, entry->new_length, entry->offset) < 0) abort();
    }
  }
  /* A journal keeps the order of names: of these the first ones hold. */
  size_t kept = half && names ? chance() % (names + 1) : 0;
  for (size_t i = entry_count; i-- > 0;) {
    struct entry *entry = &entries[i];
    if (!entry->alive) continue;
    if (entry->node >= 0) {
      int fd = nodes[entry->node].fd;
      if (ftruncate(fd, entry->old_size)) perror("ftruncate");
      put(fd, entry->old_bytes, entry->old_length, entry->offset);
      continue;
    }
    if (names-- <= kept) continue;
    switch (entry->kind) {
    case CREATE: case LINK: unlink(entry->path); break;
    case MKDIR: remove_all(entry->path); break;
    case RMDIR: mkdir(entry->path, 0700); break;
    case UNLINK: if (entry->saved) rename(entry->saved, entry->path); break;
    case RENAME:
      if (entry->exchanged) {
        renameat2(AT_FDCWD, entry->path, AT_FDCWD, entry->to, RENAME_EXCHANGE);
        break;
      }
      rename(entry->path, entry->to);
      if (entry->saved) rename(entry->saved, entry->path);
      break;
    default: break;
    }
  }
  for (size_t i = 0; half && i < entry_count; i++) {
    struct entry *entry = &entries[i];
    if (!entry->alive || entry->node < 0) continue;
    int fd = nodes[entry->node].fd;
    if (entry->kind == TRUNCATE) {
      if (chance() & 1 && ftruncate(fd, entry->new_length)) perror("ftruncate");
      continue;
    }
    for (uint64_t done = 0; done < entry->new_length;) {
      uint64_t page = 4096 - ((entry->offset + done) & 4095);
      if (page > entry->new_length - done) page = entry->new_length - done;
      if (chance() & 1) put(fd, entry->new_bytes + done, page, entry->offset + done);
      done += page;
    }
  }
}

static struct thread *thread_of(pid_t tid) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].tid == tid) return &threads[i];
  if (thread_count == 1024) abort();
  threads[thread_count] = (struct thread){.tid = tid};
  return &threads[thread_count++];
}

/* At the call: makes what is to happen happen. Gives how the thread goes on. */
static int meet(pid_t tid) {
  static struct call call;
  struct user_regs_struct regs;
  if (ptrace(PTRACE_GETREGS, tid, 0, &regs)) return PTRACE_CONT;
  look(tid, &regs, &call);
  for (int class = 0; class < 4; class++) seen[class] += counts(&call, class);
  int power = !strcmp(mode, "drop") || !strcmp(mode, "half");
  int class = strcmp(mode, "errno") ? 0 : error_number == ENOSPC ? 1 : error_number == EIO ? 2 : 3;
  int now = at > 0 && counts(&call, class) && (seen[class] == at || (sticky && seen[class] > at));
  if (now && !hits++) snprintf(hit, sizeof hit, "%s %s", kinds[call.kind], call.path);
  struct thread *thread = thread_of(tid);
  if (now && (!strcmp(mode, "kill") || power)) {
    kill(child, SIGKILL);
    return PTRACE_CONT;
  }
  if (now && !strcmp(mode, "errno")) {
    regs.orig_rax = -1;
    regs.rax = -error_number;
    ptrace(PTRACE_SETREGS, tid, 0, &regs);
    return PTRACE_CONT;
  }
  if (now && (!strcmp(mode, "torn") || !strcmp(mode, "short"))) {
    if ((regs.orig_rax == SYS_write || regs.orig_rax == SYS_pwrite64) && regs.rdx > 1) {
      regs.rdx /= 2;
      ptrace(PTRACE_SETREGS, tid, 0, &regs);
    }
  }
  if (now && (!strcmp(mode, "torn") || !strcmp(mode, "after"))) {
    thread->pending = 2;
    return PTRACE_SYSCALL;
  }
  if (power && call.kind == SYNC) {
    char name[64];
    struct stat st;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", tid, call.fd);
    if (stat(name, &st)) return PTRACE_CONT;
    thread->pending = 1;
    thread->before = entry_count;
    thread->dev = st.st_dev;
    thread->ino = st.st_ino;
    return PTRACE_SYSCALL;
  }
  if (power && call.kind != OTHER) remember(tid, &regs, &call);
  return PTRACE_CONT;
}

static void leave(pid_t tid) {
  struct thread *thread = thread_of(tid);
  int pending = thread->pending;
  thread->pending = 0;
  if (pending == 1) synced(thread);
  if (pending == 2) kill(child, SIGKILL);
}

#define TRACED(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

static void watch_calls(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      TRACED(SYS_write), TRACED(SYS_pwrite64), TRACED(SYS_writev), TRACED(SYS_pwritev), TRACED(SYS_pwritev2),
      TRACED(SYS_copy_file_range), TRACED(SYS_sendfile), TRACED(SYS_fallocate), TRACED(SYS_ftruncate),
      TRACED(SYS_truncate), TRACED(SYS_fsync), TRACED(SYS_fdatasync), TRACED(SYS_open), TRACED(SYS_creat),
      TRACED(SYS_openat), TRACED(SYS_openat2), TRACED(SYS_rename), TRACED(SYS_renameat), TRACED(SYS_renameat2),
      TRACED(SYS_unlink), TRACED(SYS_unlinkat), TRACED(SYS_rmdir), TRACED(SYS_mkdir), TRACED(SYS_mkdirat),
      TRACED(SYS_link), TRACED(SYS_linkat), TRACED(SYS_symlink), TRACED(SYS_symlinkat), TRACED(SYS_chmod),
      TRACED(SYS_fchmod), TRACED(SYS_fchmodat), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("seccomp");
    _exit(127);
  }
}

int main(int argc, char **argv) {
  int program = 0, status = 0, ended = 0;
  for (int i = 8; i < argc && !program; i++)
    if (!strcmp(argv[i], "--")) program = i + 1;
  if (!program || program >= argc) return 2;
  mode = argv[2];
  at = atol(argv[3]);
  sticky = atol(argv[4]);
  error_number = atol(argv[5]);
  state = strtoull(argv[6], NULL, 10);
  store = argv[7];
  roots = argv + 8;
  root_count = program - 9;
  child = fork();
  if (!child) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    watch_calls();
    execv(argv[program], argv + program);
    perror(argv[program]);
    _exit(127);
  }
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, 0,
         PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
             PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  ptrace(PTRACE_CONT, child, 0, 0);
  while (!ended) {
    int found;
    pid_t tid = waitpid(-1, &found, __WALL);
    if (tid < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (WIFEXITED(found) || WIFSIGNALED(found)) {
      if (tid == child) ended = 1, status = found;
      continue;
    }
    int signal = WSTOPSIG(found), event = found >> 16, request = PTRACE_CONT;
    if (event == PTRACE_EVENT_SECCOMP) request = meet(tid), signal = 0;
    else if (signal == (SIGTRAP | 0x80)) leave(tid), signal = 0;
    else if (event || signal == SIGTRAP || signal == SIGSTOP) signal = 0;
    ptrace(request, tid, 0, signal);
  }
  if (!strcmp(mode, "drop") || !strcmp(mode, "half")) cut_power();
  FILE *report = fopen(argv[1], "w");
  if (!report) return 2;
  fprintf(report, "%ld %ld %ld %ld\n%ld\n%s\n", seen[0], seen[1], seen[2], seen[3], hits, hit);
  fclose(report);
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}
