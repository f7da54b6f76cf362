// SPDX-License-Identifier: Apache-2.0
import dev.heddle.Heddle;

void main() {
  long began = System.nanoTime();
  Heddle.scope(scope -> {
    for (int i = 0; i < 10_000; i++) {
      scope.launch("sleeper", () -> Thread.sleep(1_000)); // any blocking call will do
    }
    return null;
  });
  IO.println("10,000 sleeps of 1 s in " + (System.nanoTime() - began) / 1_000_000 + " ms");
}
