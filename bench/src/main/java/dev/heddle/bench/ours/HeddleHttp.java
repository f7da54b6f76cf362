// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Server;
import dev.heddle.observe.PlatformReport;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// A greeting by the example `HttpHello`, as it stands.
public final class HeddleHttp implements Server {
  /// The example's class.
  public static final String EXAMPLE = "HttpHello";

  @Override
  public void serve(PrintStream output) throws ReflectiveOperationException {
    output.println("driver " + PlatformReport.probe().activeDriver());
    // a program without a package cannot be imported, only looked up
    Class<?> example = Class.forName(EXAMPLE);
    MethodHandle main =
        MethodHandles.privateLookupIn(example, MethodHandles.lookup())
            .findStatic(example, "main", MethodType.methodType(void.class, String[].class));
    Heddle.run(() -> serve(main));
  }

  private static void serve(MethodHandle main) {
    try {
      main.invokeExact(new String[0]);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("The example cannot serve", e);
    }
  }
}
