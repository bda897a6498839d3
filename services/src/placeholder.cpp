namespace callboard {}
