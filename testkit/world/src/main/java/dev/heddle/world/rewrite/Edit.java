// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.MethodModel;

/// A row of [JdkEdits]: what happens to some methods of one class.
///
/// @param type the class, `java.lang.Thread$Builder`
/// @param method as [#signature] writes it: `start(ThreadContainer)void`; a bare name (`<init>`)
///   for all methods of that name; `*` for all methods
/// @param change what happens there
record Edit(String type, String method, Change change) {
  boolean appliesTo(MethodModel candidate) {
    String name = candidate.methodName().stringValue();
    if (method.equals("*") || method.equals(name)) {
      return true;
    }
    return method.startsWith(name + '(') && method.equals(signature(candidate));
  }

  private static String signature(MethodModel method) {
    return method.methodName().stringValue() + method.methodTypeSymbol().displayDescriptor();
  }

  @Override
  public String toString() {
    return type + '.' + method + ": " + change;
  }
}
