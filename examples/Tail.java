// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.event.EventStream;
import dev.heddle.os.FileChange;
import dev.heddle.os.FileWatch;
import org.jspecify.annotations.Nullable;

/// Shows the ends of files and what is appended to them, as `tail -F` does: also when a file is
/// replaced by another one (log rotation), cut, or not there yet. It looks at a file only when its
/// directory has told of a change.
final class Tail {
  private static final String USAGE =
      """
      usage: ./heddle run examples/Tail.java [-n LINES] FILE...
        -n, --lines LINES  lines of each file that are shown at first (10)
        -h, --help         this text
      Ends with Ctrl-C.\
      """;

  private final List<Followed> files = new ArrayList<>();
  private int lines = 10;
  private @Nullable Followed last;

  static void main(String[] args) {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var tail = new Tail();
    try {
      tail.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException e) {
      System.err.println("Tail: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    tail.run();
  }

  private void parse(Deque<String> words) {
    for (String word = words.poll(); word != null; word = words.poll()) {
      if (Set.of("-n", "--lines").contains(word)) {
        String value = Objects.requireNonNullElse(words.poll(), "nothing");
        if (!value.matches("\\d{1,6}")) {
          throw new IllegalArgumentException(word + " needs a number, not " + value);
        }
        lines = Integer.parseInt(value);
      } else {
        files.add(new Followed(Path.of(word).toAbsolutePath().normalize()));
      }
    }
    if (files.isEmpty()) {
      throw new IllegalArgumentException("no files were given");
    }
  }

  private void run() {
    Map<Path, List<Followed>> byDirectory =
        files.stream().collect(Collectors.groupingBy(file -> file.path.getParent()));
    Heddle.scope(scope -> {
      byDirectory.forEach(
          (directory, some) -> scope.launch("tail " + directory, () -> follow(directory, some)));
      return null;
    });
  }

  private void follow(Path directory, List<Followed> some) throws IOException {
    // first the watch, then a look: what comes in between is told
    try (EventStream<FileChange> changes = FileWatch.of(directory).open()) {
      for (Followed file : some) {
        Heddle.<Boolean>offload(() -> file.begin(lines));
        show(file);
      }
      while (true) {
        concerned(changes, directory, some).forEach(this::show);
      }
    }
  }

  /// Waits for the next change: whom it may concern.
  private static List<Followed> concerned(
      EventStream<FileChange> changes, Path directory, List<Followed> some) {
    try {
      Path changed = changes.next().path();
      return changed.equals(directory) // gone or back: that concerns all
          ? some
          : some.stream().filter(file -> file.path.equals(changed)).toList();
    } catch (EventsLostException _) {
      return some;
    }
  }

  private void show(Followed file) {
    for (News news = next(file); news != null; news = next(file)) {
      if (news.note != null) {
        System.out.println("Tail: " + file.path + " " + news.note);
        last = null;
      }
      if (news.bytes.length > 0) {
        if (last != file && files.size() > 1) {
          System.out.println("==> " + file.path + " <==");
        }
        last = file;
        System.out.write(news.bytes, 0, news.bytes.length);
        System.out.flush();
      }
    }
  }

  private static @Nullable News next(Followed file) {
    return Heddle.<@Nullable News>offload(file::next);
  }

  /// What is new about a file.
  private record News(@Nullable String note, byte[] bytes) {}

  /// A file that is followed by its name. Used by one thread after the other, none of them the
  /// loop's: reading a file would hold it.
  private static final class Followed {
    private static final int BLOCK = 1 << 16;

    final Path path;
    private @Nullable FileChannel open;
    private @Nullable Object identity;
    private long position;
    private boolean missed; // it was not there, and that was said

    Followed(Path path) {
      this.path = path;
    }

    /// Begins before the last lines of what there is.
    boolean begin(int lines) throws IOException {
      if (Files.exists(path)) {
        reopen();
        position = startOfLast(lines);
      }
      return true;
    }

    /// What has come since the last call.
    ///
    /// @return null when there is nothing
    @Nullable News next() throws IOException {
      FileChannel file = open;
      if (file != null) {
        if (file.size() < position) {
          position = 0;
          return new News("was cut; from its beginning", new byte[0]);
        }
        byte[] bytes = read(file);
        if (bytes.length > 0) {
          return new News(null, bytes);
        }
      }
      // the one that is open is read to its end, also when it has another name by now
      return lookForAnother();
    }

    private @Nullable News lookForAnother() throws IOException {
      Object found = identityNow();
      if (found == null) {
        boolean news = !missed;
        missed = true;
        return news ? new News("is not there; waiting for it", new byte[0]) : null;
      }
      if (found.equals(identity)) {
        missed = false;
        return null;
      }
      if (open != null) {
        byte[] rest = read(open); // written after the last look, before it got another name
        if (rest.length > 0) {
          return new News(null, rest);
        }
      }
      boolean first = identity == null && !missed;
      reopen();
      return new News(first ? null : "is another file; from its beginning", new byte[0]);
    }

    private void reopen() throws IOException {
      if (open != null) {
        open.close();
      }
      open = FileChannel.open(path);
      identity = identityNow();
      position = 0;
      missed = false;
    }

    private @Nullable Object identityNow() throws IOException {
      try {
        BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
        Object key = found.fileKey();
        return key == null ? found.creationTime() : key; // some systems have no keys
      } catch (NoSuchFileException _) {
        return null;
      }
    }

    private byte[] read(FileChannel file) throws IOException {
      ByteBuffer block = ByteBuffer.allocate(BLOCK);
      int count = file.read(block, position);
      position += Math.max(count, 0);
      return Arrays.copyOf(block.array(), Math.max(count, 0));
    }

    private long startOfLast(int lines) throws IOException {
      FileChannel file = Objects.requireNonNull(open);
      long size = file.size();
      int left = lines;
      for (long end = size; end > 0; end -= BLOCK) {
        long start = Math.max(0, end - BLOCK);
        ByteBuffer block = ByteBuffer.allocate((int) (end - start));
        int count = file.read(block, start);
        for (int at = count - 1; at >= 0; at--) {
          boolean lineEnd = block.get(at) == '\n' && start + at < size - 1;
          if (lineEnd && --left == 0) {
            return start + at + 1;
          }
        }
      }
      return lines == 0 ? size : 0;
    }
  }
}
