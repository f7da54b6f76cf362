// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The class files of the hook, which are resources of this jar.
public final class HookClasses {
  /// In an order in which they can be defined: superclasses first.
  public static final List<String> NAMES =
      List.of(
          "HeddleInternals",
          "HeddleHashCodes",
          "HeddleHashCodes$State",
          "HeddleOutside",
          "HeddleMonitors",
          "HeddleWorld",
          "HeddleCarrier",
          "HeddleTime",
          "HeddleChance",
          "HeddleThreads",
          "HeddlePools",
          "HeddleLimits",
          "HeddleNames",
          "HeddlePoints");

  private static final Map<String, Map<String, MethodTypeDesc>> TYPES = new ConcurrentHashMap<>();

  private HookClasses() {}

  /// The class file of `java.lang.` + `name`.
  public static byte[] bytes(String name) {
    String path = "/META-INF/hook/java/lang/" + name + ".class";
    try (InputStream in = HookClasses.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("heddle-world lacks its resource " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static MethodTypeDesc typeOf(Hook hook) {
    MethodTypeDesc type = typesOf(hook.owner().displayName()).get(hook.name());
    if (type == null) {
      throw new IllegalStateException("the hook has no method " + hook);
    }
    return type;
  }

  private static Map<String, MethodTypeDesc> typesOf(String name) {
    Map<String, MethodTypeDesc> known = TYPES.get(name);
    if (known == null) {
      known = new HashMap<>();
      for (MethodModel method : ClassFile.of().parse(bytes(name)).methods()) {
        known.put(method.methodName().stringValue(), method.methodTypeSymbol());
      }
      TYPES.put(name, known);
    }
    return known;
  }
}
