// SPDX-License-Identifier: Apache-2.0
import dev.heddle.Heddle;

void main() {
  long began = System.nanoTime();
  Heddle.scope(() -> {
    for (int i = 0; i < 10_000; i++) {
      Heddle.launch("sleeper", () -> Thread.sleep(1_000)); // any blocking call will do
    }
  });
  IO.println("10,000 sleeps of 1 s in " + (System.nanoTime() - began) / 1_000_000 + " ms");
}
