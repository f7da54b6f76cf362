// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.doctor;

/// Lines to paste into a project that uses Heddle as a library. `examples/outside` holds a project
/// for each that can be run. Native access is for the drivers of `heddle-netty`: without it each
/// JVM that loads one begins with four lines of warning. Elsewhere it does no harm.
public enum Recipe {
  MAVEN_SUREFIRE(
      "surefire",
      "Maven, tests: in <build><plugins> of pom.xml (failsafe alike)",
      """
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <configuration>
          <argLine>--add-opens java.base/java.lang=ALL-UNNAMED
            --enable-native-access=ALL-UNNAMED</argLine>
        </configuration>
      </plugin>
      """),
  MAVEN_EXEC(
      "exec",
      "Maven, programs: in <build><plugins> of pom.xml, then mvn compile exec:exec"
          + " -Dexec.mainClass=...",
      """
      <plugin>
        <groupId>org.codehaus.mojo</groupId>
        <artifactId>exec-maven-plugin</artifactId>
        <configuration>
          <executable>${java.home}/bin/java</executable>
          <arguments>
            <argument>--add-opens</argument>
            <argument>java.base/java.lang=ALL-UNNAMED</argument>
            <argument>--enable-native-access=ALL-UNNAMED</argument>
            <argument>-classpath</argument>
            <classpath/>
            <argument>${exec.mainClass}</argument>
          </arguments>
        </configuration>
      </plugin>
      """),
  GRADLE(
      "gradle",
      "Gradle: in build.gradle.kts",
      """
      tasks.withType<Test>().configureEach {
        jvmArgs("--add-opens", "java.base/java.lang=ALL-UNNAMED")
        jvmArgs("--enable-native-access=ALL-UNNAMED")
      }
      tasks.withType<JavaExec>().configureEach {
        jvmArgs("--add-opens", "java.base/java.lang=ALL-UNNAMED")
        jvmArgs("--enable-native-access=ALL-UNNAMED")
      }
      """),
  COMMAND(
      "java",
      "java: on the class path (on the module path write dev.heddle in place of ALL-UNNAMED)",
      """
      java --add-opens java.base/java.lang=ALL-UNNAMED --enable-native-access=ALL-UNNAMED
      """),
  MANIFEST(
      "manifest",
      "java -jar: in META-INF/MANIFEST.MF of the jar that starts, then no flag is needed",
      """
      Add-Opens: java.base/java.lang
      Enable-Native-Access: ALL-UNNAMED
      """),
  CONTAINER(
      "container",
      "Containers: in the Dockerfile, for every JVM of the image",
      """
      ENV JDK_JAVA_OPTIONS="--add-opens=java.base/java.lang=ALL-UNNAMED --enable-native-access=ALL-UNNAMED"
      """);

  private final String id;
  private final String title;
  private final String lines;

  Recipe(String id, String title, String lines) {
    this.id = id;
    this.title = title;
    this.lines = lines;
  }

  /// The name `doctor --lines` knows it by.
  public String id() {
    return id;
  }

  /// Where it belongs.
  public String title() {
    return title;
  }

  /// The lines, each ended.
  public String lines() {
    return lines;
  }
}
