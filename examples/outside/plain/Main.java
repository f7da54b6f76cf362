// SPDX-License-Identifier: Apache-2.0
import dev.heddle.Heddle;

public final class Main {
  public static void main(String[] args) {
    System.out.println("outside " + Heddle.run(() -> Heddle.spawn(() -> 42).await()));
  }
}
