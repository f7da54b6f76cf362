// SPDX-License-Identifier: Apache-2.0

import module java.base;

import rest.Rest;

/// Leaks something of each kind that [Rest] counts, and prints what it says of that: a soak that
/// cannot fail proves nothing.
final class Leaks {
  private static final int MANY = 50;
  private static final int BYTES = 64 << 20; // more than is tolerated of any

  private final List<Object> leaked = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);

  static void main() throws IOException {
    Rest flat = new Rest(10_000, 600_000, 9_000, List.of("a", "b"), List.of("main"));
    System.out.println("flat: " + Rest.grown(List.of(flat, flat, flat, flat)));
    Rest tolerated =
        new Rest(11_000, 600_000 + (16 << 10), 9_900, flat.files(), flat.names());
    System.out.println("tolerated: " + Rest.grown(List.of(flat, flat, tolerated)));
    System.out.println("one round: " + Rest.grown(List.of(flat)));

    Leaks leaks = new Leaks();
    leaks.show("descriptors", leaks::descriptors);
    leaks.show("threads", leaks::threads);
    leaks.show("heap", () -> leaks.leaked.add(new byte[BYTES]));
    leaks.show("direct", () -> leaks.leaked.add(ByteBuffer.allocateDirect(BYTES)));
    leaks.show("resident", () -> Arena.global().allocate(BYTES).fill((byte) 1));
    leaks.end.countDown();
  }

  private interface Leak {
    void leak() throws IOException;
  }

  private void show(String what, Leak leak) throws IOException {
    List<Rest> rests = new ArrayList<>(List.of(Rest.now(), Rest.now()));
    leak.leak();
    rests.add(Rest.now());
    rests.add(Rest.now());
    System.out.println(what + ": " + Rest.grown(rests));
  }

  private void descriptors() throws IOException {
    for (int i = 0; i < MANY; i++) {
      leaked.add(FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ));
    }
  }

  private void threads() {
    for (int i = 0; i < MANY; i++) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              end.await();
            } catch (InterruptedException _) {
              // it ends, too
            }
          });
    }
  }
}
