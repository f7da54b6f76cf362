// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.partner;

import java.io.PrintStream;
import java.util.Arrays;

/// The partner's JVM: says its address in a line, and ends with its standard input.
public final class PartnerMain {
  static final String ADDRESS = "address ";

  private PartnerMain() {}

  /// Starts a partner.
  ///
  /// @param args the class of the partner, and its arguments
  public static void main(String[] args) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // what a library prints is not the address
    try {
      Partner partner =
          Class.forName(args[0]).asSubclass(Partner.class).getDeclaredConstructor().newInstance();
      answers.println(ADDRESS + partner.start(Arrays.copyOfRange(args, 1, args.length)));
      answers.flush();
      while (System.in.read() >= 0) {}
    } finally {
      Runtime.getRuntime().halt(0); // open connections need no farewell
    }
  }
}
